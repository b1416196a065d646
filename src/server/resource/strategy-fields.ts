/**
 * Access to metadata, spec and status, which all built-in kinds share. The objects are normalized: a present field has
 * the type that its kind declares.
 */
import { ensureObject, fieldAt, objectAt } from '../../apimachinery/meta/object-fields.ts';
import type { ObjectMetaFacts } from '../../apimachinery/validation/validate-object-meta.ts';
import { getField, type JsonObject, type JsonValue } from '../../base/json-value.ts';

/** Returns the metadata, typed for validation. */
export function metaFacts(object: JsonObject): ObjectMetaFacts {
  return (objectAt(object, 'metadata') ?? {}) as ObjectMetaFacts;
}

/** Returns the spec, or an empty object if absent. */
export function specOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

/** Returns the metadata, added to the object if absent. */
export function ensureMeta(object: JsonObject): JsonObject {
  return ensureObject(object, 'metadata');
}

/** Sets the field if it is absent. */
export function setDefault(object: JsonObject, name: string, value: JsonValue): void {
  if (fieldAt(object, name) === undefined) object[name] = value;
}

/**
 * Moves the named fields to the end of the object, in the order of `names`; skips absent ones. For strategies that add
 * fields: fields are put into the order of the type only after defaulting.
 */
export function moveLast(object: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    const value = getField(object, name);
    if (value === undefined) continue;
    delete object[name];
    object[name] = value;
  }
}

/**
 * Copies a field from `from`, or deletes it if `from` does not have it. Both objects then share the value, so neither
 * copy may be modified in place.
 */
export function takeField(object: JsonObject, from: JsonObject, name: string): void {
  const value = getField(from, name);
  if (value === undefined) delete object[name];
  else object[name] = value;
}

/**
 * For `prepareForCreate`: replaces the status by an empty one. For kinds whose status is optional, use `dropStatus`.
 */
export function clearStatus(object: JsonObject): void {
  object['status'] = {};
}

/** For `prepareForCreate` of kinds whose status is optional: deletes the status. */
export function dropStatus(object: JsonObject): void {
  delete object['status'];
}

/** For `prepareForUpdate` of the resource itself: keeps the stored status. */
export function keepStatus(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'status');
}

/** For `prepareForUpdate` of the `status` subresource: keeps the stored spec. */
export function keepSpec(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
}

const KEPT_METADATA = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'];

/** For `prepareForUpdate` of the `status` subresource: keeps the stored spec and metadata. */
export function keepAllButStatus(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  const meta = ensureMeta(object);
  const oldMeta = objectAt(old, 'metadata') ?? {};
  for (const name of KEPT_METADATA) takeField(meta, oldMeta, name);
}
