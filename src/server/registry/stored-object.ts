/**
 * Objects between their two lives: JSON values while a request works on them, bytes in storage. Invariant: stored bytes hold no resourceVersion, no
 * selfLink and no managedFields, and metadata is written in the reference's order, so that equal objects have equal bytes.
 */

import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJsonBytes } from '../../base/json-write.ts';
import { StorageError } from '../../storage/errors.ts';
import type { Revision } from '../../storage/storage.ts';

/** A key's state as somebody read it: from the cache (with its resourceVersion inside) or from the store (without). */
export interface StoredState {
  readonly key: string;
  readonly revision: Revision;
  readonly value: Uint8Array;
  /** As in KeyValue: worth writing again even if nothing changes. */
  readonly stale?: boolean;
}

/** The reference's order of ObjectMeta, without what is never stored. */
const STORED_METADATA: readonly string[] = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
];

const KNOWN_METADATA: ReadonlySet<string> = new Set([
  ...STORED_METADATA,
  'resourceVersion',
  'selfLink',
  'managedFields',
]);

/** The metadata of an object, made if it has none. */
export function metadataIn(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (isJsonObject(metadata)) return metadata;
  const made: JsonObject = {};
  object['metadata'] = made;
  return made;
}

/** The bytes to store. The object itself stays as it is. */
export function encodeStored(object: JsonObject): Uint8Array {
  return encodeWith(object, undefined);
}

/** What a write that stores nothing answers: as stored, with the resourceVersion that the object has. */
export function encodeUnstored(object: JsonObject): Uint8Array {
  return encodeWith(object, metadataIn(object)['resourceVersion']);
}

function encodeWith(object: JsonObject, resourceVersion: JsonValue | undefined): Uint8Array {
  const metadata = metadataIn(object);
  const written: JsonObject = {};
  if (typeof resourceVersion === 'string' && resourceVersion !== '') written['resourceVersion'] = resourceVersion;
  for (const name of STORED_METADATA) {
    const value = metadata[name];
    if (value !== undefined && value !== null) written[name] = value;
  }
  for (const name of Object.keys(metadata)) if (!KNOWN_METADATA.has(name)) written[name] = metadata[name] as JsonValue;
  object['metadata'] = written;
  try {
    return writeJsonBytes(object);
  } finally {
    object['metadata'] = metadata;
  }
}

/** The object that a state holds, with its resourceVersion; a value of the caller's own. Throws StorageError(Corrupt). */
export function readStored(state: StoredState): JsonObject {
  const object = parseObject(state.value, state.key);
  metadataIn(object)['resourceVersion'] = String(state.revision);
  return object;
}

/** Throws StorageError(Corrupt) for bytes that are no JSON object. */
export function parseObject(bytes: Uint8Array, key: string): JsonObject {
  const read = readJson(bytes);
  if (read.ok && isJsonObject(read.value)) return read.value;
  const reason = read.ok ? 'it is not an object' : read.error.message;
  throw new StorageError('Corrupt', `the value of ${JSON.stringify(key)} cannot be read: ${reason}`, { key });
}
