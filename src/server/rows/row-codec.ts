/**
 * The codec between rows and stored values: rows have objects and names, a Storage has keys and bytes.
 * Invariant: a row without a name, or with a namespace that does not fit the scope of the resource, is refused. No two
 * rows get the same key.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { StorageError } from '../../storage/errors.ts';
import { checkKey } from '../../storage/keys.ts';
import { ObjectKeys } from '../registry/object-keys.ts';
import { encodeStored, parseObject } from '../registry/stored-object.ts';
import type { StoredDefinition } from '../resource/resource-definition.ts';
import type { RowKey } from './rows.ts';

export interface RowCodec {
  /** Returns the storage key of a row. */
  keyOf(row: RowKey): string;
  /** Returns the row key of a storage key. The inverse of `keyOf`. */
  rowOf(key: string): RowKey;
  /**
   * Returns the row key in the metadata of an object. Throws StorageError(Corrupt) for an object that cannot be a row.
   */
  nameOf(object: JsonObject): RowKey;
  /** Encodes an object that came from the rows. */
  encode(object: JsonObject): Uint8Array;
  /** Decodes stored bytes. */
  decode(value: Uint8Array, key: string): JsonObject;
}

/** The parts of a definition that a codec needs. */
export type RowsPlace = Pick<StoredDefinition, 'scope' | 'storagePrefix' | 'storageVersion'>;

/** The codec of a resource whose keys begin with `scope`. */
export function objectCodec(definition: RowsPlace, scope: string): RowCodec {
  const { storageVersion, storagePrefix } = definition;
  const keys = new ObjectKeys(scope, storagePrefix, definition.scope);
  const { group, kind } = storageVersion;
  const typeFields = { kind, apiVersion: formatGroupVersion(storageVersion) };
  return {
    keyOf: ({ namespace, name }) => keys.key(namespace, name),
    rowOf: (key) => ({ namespace: keys.namespace(key), name: keys.name(key) }),
    nameOf: (object) => {
      const row = rowName(object);
      if (row.name === '' || (row.namespace !== '') !== keys.namespaced) throw misnamed(kind, row, keys.namespaced);
      checkKey(keys.key(row.namespace, row.name));
      return row;
    },
    encode: (object) => {
      const metadata = withoutVersion(object['metadata']);
      if (typeof metadata['uid'] !== 'string' || metadata['uid'] === '')
        metadata['uid'] = derivedUid(group, kind, rowName(object));
      // Stored objects begin with the type fields, whatever the order in the database.
      return encodeStored({ ...typeFields, ...object, metadata });
    },
    decode: (value, key) => parseObject(value, key),
  };
}

function rowName({ metadata }: JsonObject): RowKey {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return {
    namespace: typeof namespace === 'string' ? namespace : '',
    name: typeof name === 'string' ? name : '',
  };
}

function misnamed(kind: string, { namespace, name }: RowKey, namespaced: boolean): StorageError {
  if (name === '') return new StorageError('Corrupt', `a row of kind ${kind} has no metadata.name and is left out`);
  const problem = namespaced ? 'no metadata.namespace' : `metadata.namespace ${JSON.stringify(namespace)}`;
  const scope = namespaced ? 'namespaced' : 'cluster-scoped';
  return new StorageError('Corrupt', `row ${JSON.stringify(name)} of the ${scope} ${kind} has ${problem}; left out`);
}

function withoutVersion(metadata: JsonObject[string] | undefined): JsonObject {
  const copy: JsonObject = isJsonObject(metadata) ? { ...metadata } : {};
  delete copy['resourceVersion'];
  return copy;
}

/**
 * Derives the uid of a row that another program has inserted without a uid. It depends only on group, kind, namespace
 * and name, so every server shows the same uid. It is a UUID of version 8 (RFC 9562, section 5.8) made from a SHA-256.
 */
function derivedUid(group: string, kind: string, { namespace, name }: RowKey): string {
  const hex = sha256Hex(encodeUtf8(JSON.stringify([group, kind, namespace, name]))).toLowerCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
