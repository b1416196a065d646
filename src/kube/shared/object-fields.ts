/**
 * Fields that built-in kinds share. Invariant: the objects were normalized, so a field that is there has the type that its kind declares.
 */
import { ensureObject, fieldAt, objectAt } from '../../apimachinery/meta/object-fields.ts';
import type { ObjectMetaFacts } from '../../apimachinery/validation/validate-object-meta.ts';
import { getField, type JsonObject, type JsonValue } from '../../base/json-value.ts';

/** Metadata as validation reads it. */
export function metaFacts(object: JsonObject): ObjectMetaFacts {
  return (objectAt(object, 'metadata') ?? {}) as ObjectMetaFacts;
}

/** The spec; empty if there is none. */
export function specOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

/** The metadata to write to; made if there is none. */
export function ensureMeta(object: JsonObject): JsonObject {
  return ensureObject(object, 'metadata');
}

/** Sets a field that is absent. */
export function setDefault(object: JsonObject, name: string, value: JsonValue): void {
  if (fieldAt(object, name) === undefined) object[name] = value;
}

/** Moves these fields behind all others, in this order; absent ones are left out. For fields that are added after the defaults, which put all of an object in order. */
export function moveLast(object: JsonObject, ...names: readonly string[]): void {
  for (const name of names) {
    const value = getField(object, name);
    if (value === undefined) continue;
    delete object[name];
    object[name] = value;
  }
}

/** The field as `from` has it: the same value, or none. The value is shared, so neither side may be changed in place afterwards. */
export function takeField(object: JsonObject, from: JsonObject, name: string): void {
  const value = getField(from, name);
  if (value === undefined) delete object[name];
  else object[name] = value;
}

/** For creation: the status is empty, whatever the client sent. Kinds whose status may be absent have none; see `dropStatus`. */
export function clearStatus(object: JsonObject): void {
  object['status'] = {};
}

/** For creation of kinds whose status may be absent. */
export function dropStatus(object: JsonObject): void {
  delete object['status'];
}

/** For updates of the main resource, which never change the status. */
export function keepStatus(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'status');
}

const META_BEYOND_STATUS = [
  'deletionTimestamp',
  'generation',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
];

/** For updates of `/status`, which change neither the spec nor the metadata. */
export function keepAllButStatus(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  const meta = ensureMeta(object);
  const oldMeta = objectAt(old, 'metadata') ?? {};
  for (const name of META_BEYOND_STATUS) takeField(meta, oldMeta, name);
}
