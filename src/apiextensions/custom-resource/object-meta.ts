/**
 * The metadata of a custom resource, which is ObjectMeta whatever its schema says. Invariant: what comes out is in the form in which ObjectMeta is written; of bodies
 * a wrong type is refused in the decoder's words, of stored objects it is dropped.
 */
import { decodeStrictJson } from '../../apimachinery/codec/strict.ts';
import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import { hasUnknownFields } from '../../apimachinery/codec/unknown-fields.ts';
import { cannotUnmarshal } from '../../apimachinery/go-json.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { viewOfTypeName } from '../../kinds/views.ts';

let view: StructView | undefined;

/** The type of metadata. */
export function objectMetaView(): StructView {
  view ??= viewOfTypeName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  return view;
}

export type MetadataOutcome =
  | { readonly ok: true; readonly problems: readonly string[] }
  | { readonly ok: false; readonly message: string };

const NO_PROBLEMS: readonly string[] = [];
const FINE: MetadataOutcome = { ok: true, problems: NO_PROBLEMS };

/** Of a body, in place. */
export function normalizeMetadata(object: JsonObject): MetadataOutcome {
  const { metadata } = object;
  if (metadata === undefined) return FINE;
  if (metadata === null) {
    object['metadata'] = {};
    return FINE;
  }
  if (!isJsonObject(metadata))
    return { ok: false, message: cannotUnmarshal(metadata, 'Go value of type v1.ObjectMeta') };
  const type = objectMetaView();
  const normalized = normalizeTyped(metadata, type);
  if (!normalized.ok) return normalized;
  object['metadata'] = normalized.object;
  return hasUnknownFields(metadata, type) ? { ok: true, problems: unknownFields(metadata, type) } : FINE;
}

/** `unknown field "x"` of metadata alone, as the whole object has it. */
function unknownFields(metadata: JsonObject, type: StructView): readonly string[] {
  const read = decodeStrictJson(writeJson(metadata, { escapeHtml: false }), { fieldValidation: 'Strict', view: type });
  if (!read.ok) return NO_PROBLEMS;
  return read.problems.map((problem) => problem.replace(/^unknown field "/, 'unknown field "metadata.'));
}

/** Of a stored object, in place: fields that do not fit are dropped, and very old objects get their first generation. */
export function repairMetadata(object: JsonObject): void {
  const { metadata } = object;
  const given: JsonObject = isJsonObject(metadata) ? metadata : {};
  const type = objectMetaView();
  const whole = normalizeTyped(given, type);
  const repaired = whole.ok ? whole.object : fitting(given, type);
  if (Number(repaired['generation'] ?? 0) === 0) repaired['generation'] = 1;
  object['metadata'] = repaired;
}

function fitting(metadata: JsonObject, type: StructView): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(metadata)) {
    const single = normalizeTyped({ [name]: value as JsonValue }, type);
    if (single.ok) Object.assign(kept, single.object);
  }
  return kept;
}
