/**
 * The metadata of objects with a structural schema. It has the type ObjectMeta, whatever the schema says. Both
 * functions leave metadata in the form in which ObjectMeta is written.
 */
import { decodeStrictJson } from '../../../apimachinery/codec/strict.ts';
import { normalizeTyped } from '../../../apimachinery/codec/typed-normalize.ts';
import { hasUnknownFields } from '../../../apimachinery/codec/unknown-fields.ts';
import { META_TYPE_VIEWS } from '../../../apimachinery/facts/meta-type-views.ts';
import { cannotUnmarshal } from '../../../apimachinery/go-json.ts';
import type { StructView } from '../../../apimachinery/type-view.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { META_TYPES } from '../meta-types.ts';

/** Returns the type of metadata. */
export function objectMetaView(): StructView {
  return META_TYPE_VIEWS.view(`${META_TYPES}ObjectMeta`);
}

export type MetadataOutcome =
  | { readonly ok: true; readonly problems: readonly string[] }
  | { readonly ok: false; readonly message: string };

const NO_PROBLEMS: readonly string[] = [];
const FINE: MetadataOutcome = { ok: true, problems: NO_PROBLEMS };

/** Normalizes the metadata of a request body in place. A wrong type is an error, in the decoder's words. */
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

/** Returns a problem `unknown field "metadata.x"` for each unknown field. */
function unknownFields(metadata: JsonObject, type: StructView): readonly string[] {
  const read = decodeStrictJson(writeJson(metadata, { escapeHtml: false }), { fieldValidation: 'Strict', view: type });
  if (!read.ok) return NO_PROBLEMS;
  return read.problems.map((problem) => problem.replace(/^unknown field "/, 'unknown field "metadata.'));
}

/**
 * Normalizes the metadata of a stored object in place: drops fields of a wrong type and sets a missing generation to 1.
 */
export function repairMetadata(object: JsonObject): void {
  const repaired = dropMalformedMetadata(object);
  if (Number(repaired['generation'] ?? 0) === 0) repaired['generation'] = 1;
}

/** Normalizes the metadata of an object in place and drops fields of a wrong type. Returns the metadata. */
export function dropMalformedMetadata(object: JsonObject): JsonObject {
  const { metadata } = object;
  const given: JsonObject = isJsonObject(metadata) ? metadata : {};
  const type = objectMetaView();
  const whole = normalizeTyped(given, type);
  const repaired = whole.ok ? whole.object : fitting(given, type);
  object['metadata'] = repaired;
  return repaired;
}

function fitting(metadata: JsonObject, type: StructView): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(metadata)) {
    const single = normalizeTyped({ [name]: value as JsonValue }, type);
    if (single.ok) Object.assign(kept, single.object);
  }
  return kept;
}
