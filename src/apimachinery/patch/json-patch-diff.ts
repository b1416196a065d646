/**
 * The generator of JSON patches (RFC 6902). Invariant: `applyJsonPatch(copy of from, diffJson(from, to))` gives `to`.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { equalJson, getField, isJsonObject } from '../../base/json-value.ts';
import type { JsonPatch } from './json-patch-decode.ts';
import { MAX_JSON_PATCH_OPERATIONS } from './json-patch-decode.ts';
import { escapePointerToken } from './json-pointer.ts';
import { deeperThan, MAX_PATCH_DEPTH } from './patch-error.ts';

/**
 * A patch that turns `from` into `to`. Fields are compared by name, lists by position between their common beginning
 * and end. The patch is short but not always the shortest. If it exceeds the limit of operations, or the depth the
 * limit of patches, it replaces the whole document. The values in the patch are those of `to`, not copies.
 */
export function diffJson(from: JsonObject | JsonArray, to: JsonObject | JsonArray): JsonPatch {
  if (
    Array.isArray(from) !== Array.isArray(to) ||
    deeperThan(from, MAX_PATCH_DEPTH) ||
    deeperThan(to, MAX_PATCH_DEPTH)
  ) {
    return [{ op: 'replace', path: '', value: to }];
  }
  const patch: JsonPatch = [];
  diffValues(from, to, '', patch);
  return patch.length > MAX_JSON_PATCH_OPERATIONS ? [{ op: 'replace', path: '', value: to }] : patch;
}

function diffValues(from: JsonValue, to: JsonValue, path: string, patch: JsonPatch): void {
  if (isJsonObject(from) && isJsonObject(to)) diffObjects(from, to, path, patch);
  else if (Array.isArray(from) && Array.isArray(to)) diffLists(from, to, path, patch);
  else if (!equalJson(from, to)) patch.push({ op: 'replace', path, value: to });
}

function diffObjects(from: JsonObject, to: JsonObject, path: string, patch: JsonPatch): void {
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) patch.push({ op: 'remove', path: `${path}/${escapePointerToken(key)}` });
  }
  for (const key of Object.keys(to)) {
    const at = `${path}/${escapePointerToken(key)}`;
    const old = getField(from, key);
    const value = to[key] as JsonValue;
    if (old === undefined) patch.push({ op: 'add', path: at, value });
    else diffValues(old, value, at, patch);
  }
}

function diffLists(from: JsonArray, to: JsonArray, path: string, patch: JsonPatch): void {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && equalJson(from[start] as JsonValue, to[start] as JsonValue)) start++;
  let end = 0;
  while (
    end < shorter - start &&
    equalJson(from[from.length - 1 - end] as JsonValue, to[to.length - 1 - end] as JsonValue)
  ) {
    end++;
  }
  const paired = shorter - end;
  for (let i = start; i < paired; i++) {
    diffValues(from[i] as JsonValue, to[i] as JsonValue, `${path}/${i}`, patch);
  }
  for (let i = from.length - end - 1; i >= paired; i--) patch.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = paired; i < to.length - end; i++)
    patch.push({ op: 'add', path: `${path}/${i}`, value: to[i] as JsonValue });
}
