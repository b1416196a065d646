/**
 * Reading objects by paths of fields. Invariant: an absent field, or one of another type, reads as the zero value of what was asked for, as the reference's structs do.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

/** The value at a path of fields; undefined where one is missing or null. */
export function fieldAt(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  return valueAt(object, path);
}

/** Definitions and schemas are read by these alone, before anything is warm: the path is handed on as it is. */
function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (let i = 0; i < path.length; i++) {
    if (!isJsonObject(value)) return undefined;
    value = getField(value, path[i] as string) ?? undefined;
  }
  return value;
}

const NONE: readonly never[] = [];

/** '' if it is missing. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** False if it is missing. */
export function flagAt(object: JsonObject, ...path: readonly string[]): boolean {
  return valueAt(object, path) === true;
}

/** 0 if it is missing. */
export function numberAt(object: JsonObject, ...path: readonly string[]): number | bigint {
  const value = valueAt(object, path);
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  const value = valueAt(object, path);
  return isJsonObject(value) ? value : undefined;
}

/** Empty if it is missing. */
export function listAt(object: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value : NONE;
}

/** The objects of a list. */
export function objectsAt(object: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : NONE;
}

/** The texts of a list. */
export function textsAt(object: JsonObject, ...path: readonly string[]): readonly string[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isText) : NONE;
}

function isText(item: JsonValue): item is string {
  return typeof item === 'string';
}

/** The object in a field, to write to; made if there is none. */
export function ensureObject(object: JsonObject, name: string): JsonObject {
  const present = getField(object, name);
  if (isJsonObject(present)) return present;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}
