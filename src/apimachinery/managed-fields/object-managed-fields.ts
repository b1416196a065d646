/** Access to `metadata.managedFields` of objects. */
import {
  cloneJson,
  getField,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json-value.ts';
import { metadataOf } from '../meta/meta.ts';

export function managedFieldsOf(object: JsonObject): JsonValue | undefined {
  const metadata = metadataOf(object);
  return metadata === undefined ? undefined : getField(metadata, 'managedFields');
}

/** Sets or removes the entries in place. An object without metadata is left alone. */
export function setManagedFields(object: JsonObject, entries: JsonArray | undefined): void {
  const metadata = getField(object, 'metadata');
  if (!isJsonObject(metadata)) return;
  if (entries !== undefined) metadata['managedFields'] = entries;
  else if ('managedFields' in metadata) delete metadata['managedFields'];
}

/** The object with other entries. It shares everything but the metadata object; the argument is not changed. */
export function withManagedFields(object: JsonObject, entries: JsonArray | undefined): JsonObject {
  const metadata = metadataOf(object);
  if (metadata === undefined)
    return entries === undefined ? object : { ...object, metadata: { managedFields: entries } };
  if (entries === undefined && !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: entries === undefined ? rest : { ...rest, managedFields: entries } };
}

/**
 * True for an object with an empty list of managedFields, which asks to forget all managers. Normalization drops empty
 * lists, so decoders restore this one afterwards.
 */
export function hasEmptyManagedFields(object: JsonObject): boolean {
  const entries = managedFieldsOf(object);
  return Array.isArray(entries) && entries.length === 0;
}

/**
 * A deep copy that shares managedFields. Entries are never modified in place, and they may be larger than the rest of
 * the object.
 */
export function cloneObject(object: JsonObject): JsonObject {
  const metadata = getField(object, 'metadata');
  const entries = isJsonObject(metadata) ? getField(metadata, 'managedFields') : undefined;
  if (!isJsonObject(metadata) || !Array.isArray(entries)) return cloneJson(object);
  // Setting a field aside is cheaper than copying the other ones.
  metadata['managedFields'] = null;
  const copy = cloneJson(object);
  metadata['managedFields'] = entries;
  (copy['metadata'] as JsonObject)['managedFields'] = entries;
  return copy;
}
