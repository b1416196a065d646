/**
 * The coercion of metadata to the type ObjectMeta. The input is not modified; the result is a copy without unknown
 * fields.
 */
import { findTypeMismatch } from '../apimachinery/codec/type-mismatch.ts';
import { normalizeTyped } from '../apimachinery/codec/typed-normalize.ts';
import { decodedType } from '../apimachinery/go-decoded.ts';
import type { StructView, TypeView } from '../apimachinery/type-view.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { compareUtf8 } from '../base/utf8.ts';

export type MetaForm =
  | { readonly ok: true; readonly metadata: JsonObject; readonly unknown: readonly string[] }
  /** `message` is the text of kube-apiserver's decoder. */
  | { readonly ok: false; readonly message: string };

export interface MetaOptions {
  readonly objectMeta: TypeView;
  /** Removes fields of a wrong type instead of failing, for objects that older versions stored. Default false. */
  readonly dropMalformed?: boolean;
}

/** `unknown` lists the removed fields, as paths below the metadata. Like kube-apiserver it lists at most 100. */
export function metaForm(metadata: JsonValue, options: MetaOptions): MetaForm {
  const view = options.objectMeta as StructView;
  if (metadata === null) return { ok: true, metadata: {}, unknown: [] };
  const whole = isJsonObject(metadata) ? normalizeTyped(metadata, view) : undefined;
  if (whole?.ok === true) return { ok: true, metadata: whole.object, unknown: unknownFields(metadata, view) };
  if (options.dropMalformed !== true) {
    const message = whole?.message ?? findTypeMismatch(metadata, view) ?? '';
    return { ok: false, message };
  }
  if (!isJsonObject(metadata))
    return { ok: false, message: `invalid metadata: expected object, got ${decodedType(metadata)}` };
  const kept: JsonObject = {};
  for (const name of Object.keys(metadata)) {
    const field = normalizeTyped({ [name]: metadata[name] as JsonValue }, view);
    if (field.ok) Object.assign(kept, field.object);
  }
  return { ok: true, metadata: kept, unknown: unknownFields(kept, view) };
}

const MAX_UNKNOWN = 100;

/** In kube-apiserver's order: keys sorted, depth first. */
function unknownFields(value: JsonValue, view: TypeView): readonly string[] {
  const found: string[] = [];
  collect(value, view, '', found);
  return found.slice(0, MAX_UNKNOWN);
}

function collect(value: JsonValue, view: TypeView, at: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (view.kind === 'list') value.forEach((item, i) => void collect(item, view.items, `${at}[${i}]`, found));
    return;
  }
  if (view.kind !== 'struct') return;
  for (const name of Object.keys(value).sort(compareUtf8)) {
    const path = at === '' ? name : `${at}.${name}`;
    const field = view.field(name);
    if (field !== undefined) collect(value[name] as JsonValue, field.type, path, found);
    else if (!view.preserveUnknown) found.push(path);
  }
}
