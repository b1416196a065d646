/**
 * Encodes objects for storage, and decodes them.
 * Invariant: stored bytes contain no resourceVersion or selfLink, and metadata is in the order of ObjectMeta, so that
 * equal objects have equal bytes.
 */

import { managedFieldsOf, setManagedFields } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import { sharedEntriesBytes } from '../../apimachinery/managed-fields/shared-entries.ts';
import { EMPTY_BYTES, encodeUtf8Around, encodeUtf8In } from '../../base/bytes.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { Slab } from '../../base/slab.ts';
import { LIMITS } from '../../storage/embedded-storage.ts';
import { StorageError } from '../../storage/errors.ts';
import type { Revision } from '../../storage/storage.ts';

/** The state of a key. Bytes from the cache contain the resourceVersion; bytes from storage do not. */
export interface StoredState {
  readonly key: string;
  readonly revision: Revision;
  readonly value: Uint8Array;
  /** See `KeyValue.stale`. An update writes a stale value even if the object does not change. */
  readonly stale?: boolean;
}

/** Metadata in the order in which it is encoded. Undefined fields are left out. */
type WrittenMetadata = Record<string, JsonValue | undefined>;

/**
 * Returns the fields of ObjectMeta in kube-apiserver's order, without those that are never stored. An object literal,
 * so that V8 gives all results the same hidden class.
 */
function orderedMetadata(metadata: Readonly<WrittenMetadata>, resourceVersion: JsonValue | undefined): WrittenMetadata {
  const written: WrittenMetadata = {
    resourceVersion: typeof resourceVersion === 'string' && resourceVersion !== '' ? resourceVersion : undefined,
    name: metadata['name'] ?? undefined,
    generateName: metadata['generateName'] ?? undefined,
    namespace: metadata['namespace'] ?? undefined,
    uid: metadata['uid'] ?? undefined,
    generation: metadata['generation'] ?? undefined,
    creationTimestamp: metadata['creationTimestamp'] ?? undefined,
    deletionTimestamp: metadata['deletionTimestamp'] ?? undefined,
    deletionGracePeriodSeconds: metadata['deletionGracePeriodSeconds'] ?? undefined,
    labels: metadata['labels'] ?? undefined,
    annotations: metadata['annotations'] ?? undefined,
    ownerReferences: metadata['ownerReferences'] ?? undefined,
    finalizers: metadata['finalizers'] ?? undefined,
    managedFields: metadata['managedFields'] ?? undefined,
  };
  for (const name in metadata) if (!KNOWN_METADATA.has(name)) written[name] = metadata[name];
  return written;
}

const KNOWN_METADATA: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

/** Returns the metadata of an object. Adds an empty one if there is none. */
export function metadataIn(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (isJsonObject(metadata)) return metadata;
  const made: JsonObject = {};
  object['metadata'] = made;
  return made;
}

/** Encoded objects share the memory of slabs. Stores and caches keep copies, so no slab stays alive for long. */
const slab = new Slab();

/** Encodes an object for storage. Does not modify the object. */
export function encodeStored(object: JsonObject): Uint8Array {
  return encodeWith(object, undefined);
}

/**
 * Encodes an object for storage. Removes managedFields from the object if it is too large with them, unless
 * `keepManagedFields`.
 */
export function encodeFitting(object: JsonObject, keepManagedFields = false): Uint8Array {
  const bytes = encodeWith(object, undefined);
  if (bytes.length <= LIMITS.valueBytes || keepManagedFields || managedFieldsOf(object) === undefined) return bytes;
  setManagedFields(object, undefined);
  return encodeWith(object, undefined);
}

/**
 * Encodes an object for the answer to a write that stores nothing: like stored bytes, with the resourceVersion of the
 * object.
 */
export function encodeUnstored(object: JsonObject): Uint8Array {
  return encodeWith(object, metadataIn(object)['resourceVersion']);
}

/**
 * The object that was encoded last, as it is stored. Encoders of other forms use this object instead of parsing its
 * bytes.
 * Invariant: an object is not modified between its encoding and its write.
 */
const last: { bytes: Uint8Array; object: JsonObject; metadata: JsonObject } = {
  bytes: EMPTY_BYTES,
  object: {},
  metadata: {},
};

/** Returns the object of stored bytes. The bytes are not parsed if they are those that were encoded last. */
export function storedObject(bytes: Uint8Array, key: string): JsonObject {
  return last.bytes === bytes ? { ...last.object, metadata: last.metadata } : parseObject(bytes, key);
}

function encodeWith(object: JsonObject, resourceVersion: JsonValue | undefined): Uint8Array {
  const metadata = metadataIn(object);
  const written = orderedMetadata(metadata, resourceVersion);
  const { managedFields } = written;
  const entries = Array.isArray(managedFields) ? sharedEntriesBytes(managedFields) : undefined;
  if (entries !== undefined) written['managedFields'] = PLACEHOLDER;
  object['metadata'] = written as JsonObject;
  try {
    const text = writeJson(object);
    written['managedFields'] = managedFields;
    last.bytes = encodeText(text, entries) ?? encodeUtf8In(writeJson(object), slab.cut);
    last.object = object;
    last.metadata = written as JsonObject;
    return last.bytes;
  } finally {
    object['metadata'] = metadata;
  }
}

/**
 * Encodes the text, with `entries` in place of the placeholder. Returns undefined if the object itself contains the
 * placeholder.
 */
function encodeText(text: string, entries: Uint8Array | undefined): Uint8Array | undefined {
  if (entries === undefined) return encodeUtf8In(text, slab.cut);
  const at = text.indexOf(PLACEHOLDER_TEXT);
  const next = at + PLACEHOLDER_TEXT.length;
  if (text.indexOf(PLACEHOLDER_TEXT, next) >= 0) return undefined;
  return encodeUtf8Around(text.slice(0, at), entries, text.slice(next), slab.cut);
}

/**
 * A placeholder for managedFields whose encoded bytes are known. It is replaced once the rest of the object is encoded.
 */
const PLACEHOLDER = 'keelson.io/managedFields';
const PLACEHOLDER_TEXT = `"${PLACEHOLDER}"`;

/** Decodes a state. The object has its resourceVersion, and the caller may modify it. Throws StorageError(Corrupt). */
export function readStored(state: StoredState): JsonObject {
  const object = parseObject(state.value, state.key);
  metadataIn(object)['resourceVersion'] = String(state.revision);
  return object;
}

/** Parses stored bytes. Throws StorageError(Corrupt) for bytes that are not a JSON object. */
export function parseObject(bytes: Uint8Array, key: string): JsonObject {
  const read = readJson(bytes);
  if (read.ok && isJsonObject(read.value)) return read.value;
  const reason = read.ok ? 'it is not an object' : read.error.message;
  throw new StorageError('Corrupt', `the value of ${JSON.stringify(key)} cannot be read: ${reason}`, { key });
}
