/**
 * Reading built-in objects. Invariant: the objects were normalized, so a field that is there has the type that its kind declares; an absent one reads as the zero
 * value of its type, as the reference's structs do.
 */
import type { ObjectMetaFacts } from '../apimachinery/validation/validate-object-meta.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';

/** The value at a path of fields; undefined where one is missing or null. */
export function fieldAt(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path) {
    if (!isJsonObject(value)) return undefined;
    value = getField(value, name) ?? undefined;
  }
  return value;
}

/** '' if it is missing. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = fieldAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  const value = fieldAt(object, ...path);
  return isJsonObject(value) ? value : undefined;
}

/** Empty if it is missing. */
export function listAt(object: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
  const value = fieldAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** The texts of a list. */
export function textsAt(object: JsonObject, ...path: readonly string[]): readonly string[] {
  return listAt(object, ...path).filter((item) => typeof item === 'string');
}

/** 0 if it is missing. */
export function numberAt(object: JsonObject, ...path: readonly string[]): number | bigint {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

/** Metadata as validation reads it. */
export function metaFacts(object: JsonObject): ObjectMetaFacts {
  return (objectAt(object, 'metadata') ?? {}) as ObjectMetaFacts;
}

/** The metadata to write to; made if there is none. */
export function ensureMeta(object: JsonObject): JsonObject {
  return ensureObject(object, 'metadata');
}

/** The object in a field, to write to; made if there is none. */
export function ensureObject(object: JsonObject, name: string): JsonObject {
  const present = getField(object, name);
  if (isJsonObject(present)) return present;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}

/** The field as `from` has it: the same value, or none. The value is shared, so neither side may be changed in place afterwards. */
export function takeField(object: JsonObject, from: JsonObject, name: string): void {
  const value = getField(from, name);
  if (value === undefined) delete object[name];
  else object[name] = value;
}
