/**
 * Access to fields of objects by path. Invariant: a field that is absent or has another type reads as the zero value of
 * the requested type, as in Go structs.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

/** The value at a path of fields; undefined if a field is missing or null. */
export function fieldAt(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  return valueAt(object, path);
}

/**
 * Takes the path as one array: definitions and schemas are read through it before the engine optimizes it, and
 * spreading arguments again would cost.
 */
function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (let i = 0; i < path.length; i++) {
    if (!isJsonObject(value)) return undefined;
    value = getField(value, path[i] as string) ?? undefined;
  }
  return value;
}

const NONE: readonly never[] = [];

/** The string at a path, or ''. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** Whether the value at a path is true. */
export function flagAt(object: JsonObject, ...path: readonly string[]): boolean {
  return valueAt(object, path) === true;
}

/** The number at a path, or 0. */
export function numberAt(object: JsonObject, ...path: readonly string[]): number | bigint {
  const value = valueAt(object, path);
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  const value = valueAt(object, path);
  return isJsonObject(value) ? value : undefined;
}

/** The list at a path, or an empty one. */
export function listAt(object: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value : NONE;
}

/** The objects of the list at a path. */
export function objectsAt(object: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : NONE;
}

/** The strings of the list at a path. */
export function textsAt(object: JsonObject, ...path: readonly string[]): readonly string[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isText) : NONE;
}

function isText(item: JsonValue): item is string {
  return typeof item === 'string';
}

/** The object in a field. A missing one is created, so that the caller can write to it. */
export function ensureObject(object: JsonObject, name: string): JsonObject {
  const present = getField(object, name);
  if (isJsonObject(present)) return present;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}
