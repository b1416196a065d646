/**
 * Fields that built-in kinds share. Invariant: the objects were normalized, so a field that is there has the type that its kind declares.
 */
import { ensureObject, objectAt } from '../apimachinery/meta/object-fields.ts';
import type { ObjectMetaFacts } from '../apimachinery/validation/validate-object-meta.ts';
import { getField, type JsonObject } from '../base/json-value.ts';

/** Metadata as validation reads it. */
export function metaFacts(object: JsonObject): ObjectMetaFacts {
  return (objectAt(object, 'metadata') ?? {}) as ObjectMetaFacts;
}

/** The metadata to write to; made if there is none. */
export function ensureMeta(object: JsonObject): JsonObject {
  return ensureObject(object, 'metadata');
}

/** The field as `from` has it: the same value, or none. The value is shared, so neither side may be changed in place afterwards. */
export function takeField(object: JsonObject, from: JsonObject, name: string): void {
  const value = getField(from, name);
  if (value === undefined) delete object[name];
  else object[name] = value;
}
