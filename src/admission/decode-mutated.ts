/** The object that a patch of a webhook or policy returns, brought into the form of its version. */
import { decodeStrictJson, formatStrictError } from '../apimachinery/codec/strict.ts';
import { hasUnknownFields, pruneUnknownFields } from '../apimachinery/codec/unknown-fields.ts';
import { formatGroupVersion } from '../apimachinery/meta/gvk.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { writeJson } from '../base/json-write.ts';
import type { VersionDefinition } from '../server/resource/version-definition.ts';

export type DecodedObject = { readonly object: JsonObject } | { readonly error: string };

/**
 * Decodes a value that the caller owns, and changes it. Built-in kinds are decoded into their type: unknown fields are
 * dropped, or are an error if the decoding is strict. Other kinds keep them until they are stored.
 */
export function decodeMutated(
  value: JsonValue,
  version: VersionDefinition,
  fieldValidation: 'Ignore' | 'Strict',
): DecodedObject {
  if (!isJsonObject(value)) return { error: 'the patched object is not an object' };
  if (version.unstructured === true)
    return fieldValidation === 'Strict' && (value['kind'] ?? '') === ''
      ? { error: `Object 'Kind' is missing in '${writeJson(value)}'` }
      : { object: value };
  const view = version.type();
  if (fieldValidation === 'Strict' && hasUnknownFields(value, view)) {
    const read = decodeStrictJson(writeJson(value), { fieldValidation, view });
    return { error: read.ok ? formatStrictError(read.problems) : read.error.message };
  }
  pruneUnknownFields(value, view);
  value['kind'] = version.kind;
  value['apiVersion'] = formatGroupVersion(version);
  const normalized = version.normalize(value);
  return normalized.ok ? { object: normalized.object } : { error: normalized.message };
}
