/**
 * Private objects of API servers, under keys that no resource serves: allocated ports and addresses of servers. They
 * are encoded like kube-apiserver's, so that both can share an etcd. They are written as protobuf and read as protobuf
 * or JSON, because the other server may have `--storage-media-type=application/json`.
 */
import { decodeObject } from '../../apimachinery/protobuf/decode.ts';
import { encodeObject } from '../../apimachinery/protobuf/encode.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { BugError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { StorageError } from '../../storage/errors.ts';
import type { KeyValue, Storage } from '../../storage/storage.ts';
import { valueEncoding } from '../../storage/value-transformer.ts';

export interface PrivateObject {
  readonly object: JsonObject;
  readonly item: KeyValue;
}

export interface PrivateObjectsOptions {
  readonly storage: Storage;
  /** A kind of the core group, v1. */
  readonly kind: string;
  readonly view: StructView;
}

export class PrivateObjects {
  readonly #options: PrivateObjectsOptions;

  constructor(options: PrivateObjectsOptions) {
    this.#options = options;
  }

  /**
   * Reads an object. Returns undefined if the key does not exist. Throws StorageError(Corrupt) for bytes that are not
   * an object of this kind.
   */
  async read(key: string): Promise<PrivateObject | undefined> {
    const result = await this.#options.storage.get(key);
    return result.outcome === 'found' ? this.#decode(result.item) : undefined;
  }

  /** Returns the objects whose keys begin with the prefix. */
  async list(prefix: string): Promise<readonly JsonObject[]> {
    const result = await this.#options.storage.list({ prefix });
    return result.outcome === 'ok' ? result.items.map((item) => this.#decode(item).object) : [];
  }

  /**
   * Replaces the object `seen`; undefined: the key must not exist. Returns false if the key has changed since it was
   * read.
   */
  async write(
    key: string,
    seen: PrivateObject | undefined,
    fields: JsonObject,
    options: { readonly ttlMs?: number } = {},
  ): Promise<boolean> {
    const { storage, kind, view } = this.#options;
    const encoded = encodeObject(view, { kind, apiVersion: 'v1', ...fields });
    if (!encoded.ok) throw new BugError(`a ${kind} has no protobuf form: ${encoded.error.message}`);
    const written = await storage.compareAndWrite(key, seen?.item, encoded.bytes, options);
    return written.outcome === 'ok';
  }

  async remove(key: string): Promise<void> {
    await this.#options.storage.delete(key);
  }

  #decode(item: KeyValue): PrivateObject {
    const { kind, view } = this.#options;
    if (valueEncoding(item.value) === 'json') {
      const read = readJson(item.value);
      if (read.ok && isJsonObject(read.value)) return { object: read.value, item };
      throw corrupt(kind, item.key, 'it is not a JSON object');
    }
    const decoded = decodeObject(item.value, (type) => (type.kind === kind ? view : undefined));
    if (!decoded.ok) throw corrupt(kind, item.key, decoded.error.message);
    return { object: decoded.value, item };
  }
}

function corrupt(kind: string, key: string, reason: string): StorageError {
  return new StorageError('Corrupt', `the ${kind} ${JSON.stringify(key)} cannot be decoded: ${reason}`, { key });
}
