/**
 * Merge patches (RFC 7386) with the behaviour of evanphx/json-patch v4. Invariant: the document belongs to the caller
 * and is modified in place. The patch is never modified, and the result shares nothing with it.
 */
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, equalJson, getField, isJsonObject, setField } from '../../base/json-value.ts';
import { cannotUnmarshal } from '../go-json.ts';
import type { PatchResult } from './patch-error.ts';
import { deeperThan, MAX_PATCH_DEPTH, patchFailure, TOO_DEEP } from './patch-error.ts';

/**
 * Applies a patch. Returns the new root: the document, or a new list if the patch is a list, which the reference
 * accepts here and refuses when it decodes the object. Any other patch that is not an object fails with
 * `invalid-patch`.
 *
 * Beyond the RFC, as in the reference: a value that is put where no object was loses its null fields at every depth,
 * inside lists too. A list that replaces an object keeps them. Nulls as list elements always stay.
 */
export function applyMergePatch(document: JsonObject, patch: JsonValue): PatchResult<JsonValue> {
  if (deeperThan(patch, MAX_PATCH_DEPTH)) return patchFailure('invalid-patch', TOO_DEEP);
  if (Array.isArray(patch)) return { ok: true, value: withoutNulls(patch) };
  if (!isJsonObject(patch)) return patchFailure('invalid-patch', 'Invalid JSON Patch');
  mergeObjects(document, patch);
  return { ok: true, value: document };
}

/**
 * The additional check of `fieldValidation` Warn and Strict: the patch must be an object, or null, which then fails to
 * apply. The only strict errors are duplicate fields, which the JSON reader reports.
 */
export function checkMergePatchFields(patch: JsonValue): PatchResult<readonly string[]> {
  if (patch === null || isJsonObject(patch)) return { ok: true, value: [] };
  const problem = cannotUnmarshal(patch, 'Go value of type map[string]interface {}');
  return patchFailure('invalid-patch', `error decoding patch: ${problem}`);
}

function mergeObjects(document: JsonObject, patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    if (value === null) {
      delete document[key];
      continue;
    }
    const current = getField(document, key);
    if (!isJsonObject(current)) setField(document, key, withoutNulls(value));
    else if (isJsonObject(value)) mergeObjects(current, value);
    else setField(document, key, cloneJson(value));
  }
}

/** A copy whose objects have no null fields. */
function withoutNulls(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = value[key] as JsonValue;
    if (field !== null) setField(copy, key, withoutNulls(field));
  }
  return copy;
}

/**
 * A merge patch that turns `from` into `to`. A merge patch cannot set null: null fields of `to` become missing, null
 * list elements are kept. Lists are replaced as a whole. Fails with `unprocessable` if the nesting exceeds
 * MAX_PATCH_DEPTH. The values in the patch are those of `to`, not copies.
 */
export function diffMergePatch(from: JsonObject, to: JsonObject): PatchResult<JsonObject> {
  if (deeperThan(from, MAX_PATCH_DEPTH) || deeperThan(to, MAX_PATCH_DEPTH)) {
    return patchFailure('unprocessable', TOO_DEEP);
  }
  return { ok: true, value: diffObjects(from, to) };
}

function diffObjects(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(to)) {
    const old = getField(from, key);
    const value = to[key] as JsonValue;
    if (old === undefined) setField(patch, key, value);
    else if (isJsonObject(old) && isJsonObject(value)) {
      const inner = diffObjects(old, value);
      if (Object.keys(inner).length > 0) setField(patch, key, inner);
    } else if (!equalJson(old, value)) setField(patch, key, value);
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setField(patch, key, null);
  return patch;
}
