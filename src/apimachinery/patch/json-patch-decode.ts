/**
 * The decoder of JSON patch bodies. As in the reference, it checks only that the patch is a list of objects. The
 * content of an operation is checked when it is applied, or by `checkJsonPatchFields` for strict decoding.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { getField, isJsonObject } from '../../base/json-value.ts';
import { cannotUnmarshal } from '../go-json.ts';
import type { PatchResult } from './patch-error.ts';
import { deeperThan, MAX_PATCH_DEPTH, patchFailure, TOO_DEEP } from './patch-error.ts';

/** A well-formed operation (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export type JsonPatch = JsonPatchOperation[];

/** The most operations of one patch: the reference's `maxJSONPatchOperations`. */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;

/**
 * The list of operations in a decoded body. As in the reference, `null` is an empty patch, and a `null` operation is an
 * empty operation.
 */
export function decodeJsonPatch(
  patch: JsonValue,
  maxOperations: number = MAX_JSON_PATCH_OPERATIONS,
): PatchResult<readonly JsonObject[]> {
  if (patch === null) return { ok: true, value: [] };
  if (!Array.isArray(patch)) {
    return patchFailure('invalid-patch', cannotUnmarshal(patch, 'Go value of type jsonpatch.Patch'));
  }
  if (deeperThan(patch, MAX_PATCH_DEPTH)) return patchFailure('invalid-patch', TOO_DEEP);
  const operations: JsonObject[] = [];
  for (const item of patch) {
    if (isJsonObject(item)) operations.push(item);
    else if (item === null) operations.push({});
    else return patchFailure('invalid-patch', cannotUnmarshal(item, 'Go value of type jsonpatch.Operation'));
  }
  if (operations.length > maxOperations) {
    return patchFailure(
      'too-large',
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  return { ok: true, value: operations };
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from']);

/**
 * The additional checks of `fieldValidation` Warn and Strict. Returns whether an operation has an unknown field, or
 * fails if a field has the wrong type. `jsonPatchProblems` of the codec lists unknown and duplicate fields.
 */
export function checkJsonPatchFields(patch: JsonValue): PatchResult<boolean> {
  let hasUnknown = false;
  if (patch === null) return { ok: true, value: hasUnknown };
  if (!Array.isArray(patch)) return undecodable(patch, 'Go value of type []handlers.jsonPatchOp');
  for (const item of patch) {
    if (item === null) continue;
    if (!isJsonObject(item)) return undecodable(item, 'Go value of type handlers.jsonPatchOp');
    for (const key of Object.keys(item)) {
      const value = getField(item, key) as JsonValue;
      if (!TEXT_FIELDS.has(key)) hasUnknown ||= key !== 'value';
      else if (value !== null && typeof value !== 'string')
        return undecodable(value, `Go struct field jsonPatchOp.${key} of type string`);
    }
  }
  return { ok: true, value: hasUnknown };
}

function undecodable(value: JsonValue, into: string): PatchResult<never> {
  return patchFailure('invalid-patch', `error decoding patch: ${cannotUnmarshal(value, into)}`);
}
