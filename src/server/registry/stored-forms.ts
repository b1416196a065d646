/**
 * The transformer between the stored bytes of kube-apiserver and those of this server. kube-apiserver stores built-in
 * kinds as protobuf (`k8s\0` and a runtime.Unknown) or as JSON with a final newline, in its own storage version, and
 * sets defaults whenever it decodes them. The stores of this server expect JSON in their storage version with defaults.
 *
 * Invariants: the bytes of custom resources pass unchanged, except for the newline; StoredHistory handles their
 * versions. The values of keys that are not API objects pass unchanged. No value is stale: any encoding may stay in the
 * store.
 */

import { formatGroupVersion, type GroupResource } from '../../apimachinery/meta/gvk.ts';
import { decodeObject, type ResolveType } from '../../apimachinery/protobuf/decode.ts';
import { encodeObject } from '../../apimachinery/protobuf/encode.ts';
import { equalBytes } from '../../base/bytes.ts';
import { BugError, toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { LruMap } from '../../base/lru-map.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { StorageError } from '../../storage/errors.ts';
import {
  type FromStorage,
  type TransformContext,
  type ValueTransformer,
  valueEncoding,
} from '../../storage/value-transformer.ts';
import { convertObject } from '../resource/convert-objects.ts';
import {
  type ResourceDefinition,
  type StoredDefinition,
  storedGroupResource,
} from '../resource/resource-definition.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { encryptedReason } from './encrypted-reason.ts';
import type { TypeToTranscode } from './envelope-heads.ts';
import { encodeStored, parseObject, storedObject } from './stored-object.ts';
import { StoredTranscoder } from './transcode-stored.ts';

const NEWLINE = 0x0a;
const PRIVATE_KEYS = /^\/(ranges|masterleases|peerserverleases)\//;

/**
 * Whether the key is private to kube-apiserver: allocated ports and addresses, and the addresses of its replicas. The
 * values of such keys are not API objects.
 */
export function isPrivateKey(key: string, scope: string): boolean {
  return PRIVATE_KEYS.test(key.slice(scope.length));
}

/**
 * Returns kube-apiserver's name for the resource of a private key, for metrics. Undefined for other keys. The scope of
 * `key` may be any single segment.
 */
export function privateResource(key: string): GroupResource | undefined {
  const [, kind = '', name = ''] = key.split('/');
  const resource = PRIVATE_RESOURCES[kind === 'ranges' ? `ranges/${name}` : kind];
  return resource === undefined ? undefined : { group: '', resource };
}

const PRIVATE_RESOURCES: Readonly<Record<string, string>> = {
  masterleases: 'apiServerIPInfo',
  peerserverleases: 'apiServerPeerIPInfo',
  'ranges/serviceips': 'serviceipallocations',
  'ranges/secondaryserviceips': 'serviceipallocations',
  'ranges/servicenodeports': 'servicenodeportallocations',
};

/** The values of `--storage-media-type`. Kinds that kube-apiserver always stores as JSON are JSON here, too. */
export type StorageMediaType = 'application/json' | 'application/vnd.kubernetes.protobuf';

export interface StoredFormsOptions {
  /** The first segment of every key. */
  readonly scope: string;
  /** The encoding in which built-in kinds are written. */
  readonly mediaType: StorageMediaType;
  /**
   * Called for each value of a built-in resource that cannot be decoded, before the error is thrown. Default: nothing.
   */
  readonly onUndecodable?: ((resource: GroupResource) => void) | undefined;
}

/** A built-in resource, whose stored bytes are decoded. */
interface TypedResource {
  readonly definition: StoredDefinition;
  /** By apiVersion and kind. */
  readonly versions: ReadonlyMap<string, VersionDefinition>;
  readonly resolve: ResolveType;
  /** Returns the storage version if decoding it sets no defaults: its protobuf can then be transcoded to JSON. */
  readonly transcoded: TypeToTranscode;
  /** Whether the resource is always written as JSON. */
  readonly isJson: boolean;
}

/** The most recently written values are kept until their events arrive, so that the events need not be decoded. */
const MAX_WRITTEN = 256;
const MAX_WRITTEN_BYTES = 64 * 1024;
/** The bytes may be reused after the write: the store has copied or sent them when it answers. */
const TRANSIENT = { transient: true };

interface WrittenForm {
  readonly stored: Uint8Array;
  readonly value: Uint8Array;
}

export class StoredForms implements ValueTransformer {
  readonly mayBeStale = false;
  readonly #options: StoredFormsOptions;
  /** Resources by the prefix of their keys, without the scope. */
  readonly #resources = new Map<string, TypedResource>();
  /** Written values by key. An entry is used only if the stored bytes of the event equal those of the entry. */
  readonly #written = new LruMap<string, WrittenForm>(MAX_WRITTEN);
  readonly #transcoder = new StoredTranscoder();

  constructor(options: StoredFormsOptions) {
    this.#options = options;
  }

  /**
   * Adds the built-in resources. Called once, before the storage is read. `isJson` returns true for resources that
   * kube-apiserver always stores as JSON.
   */
  bind(definitions: readonly ResourceDefinition[], isJson: (definition: StoredDefinition) => boolean): void {
    for (const definition of definitions) {
      if (!isStored(definition)) continue;
      const versions = new Map<string, VersionDefinition>();
      for (const version of definition.storedVersions ?? definition.versions)
        versions.set(typeKey(formatGroupVersion(version), version.kind), version);
      versions.set(
        typeKey(formatGroupVersion(definition.storageVersion), definition.storageVersion.kind),
        definition.storageVersion,
      );
      this.#resources.set(definition.storagePrefix, {
        definition,
        versions,
        resolve: ({ apiVersion, kind }) => versions.get(typeKey(apiVersion, kind))?.type(),
        transcoded: ({ apiVersion, kind }) => {
          const version = versions.get(typeKey(apiVersion, kind));
          return version === definition.storageVersion && version.setDefaults === undefined
            ? version.type()
            : undefined;
        },
        isJson: isJson(definition),
      });
    }
  }

  /** Returns the built-in resource of a key; undefined for other keys. */
  definitionOf(key: string): StoredDefinition | undefined {
    return this.#resourceOf(key)?.definition;
  }

  /**
   * Returns the group and the plural of the resource of a key, by which encryption is configured. Undefined for keys
   * that are not API objects.
   */
  groupResourceOf(key: string): GroupResource | undefined {
    const definition = this.definitionOf(key);
    if (definition !== undefined) return storedGroupResource(definition);
    const [, group = '', resource] = key.split('/');
    return resource !== undefined && group.includes('.') ? { group, resource } : undefined;
  }

  fromStorage(stored: Uint8Array, { key }: TransformContext): FromStorage {
    const resource = this.#resourceOf(key);
    const encoding = valueEncoding(stored);
    if (resource === undefined && isPrivateKey(key, this.#options.scope)) return { value: stored, stale: false };
    if (encoding !== 'json' && encoding !== 'protobuf') {
      if (encoding !== 'encrypted' && resource !== undefined)
        this.#options.onUndecodable?.(storedGroupResource(resource.definition));
      throw corrupt(key, encoding === 'encrypted' ? encryptedReason(stored) : `its encoding is ${encoding}`);
    }
    if (resource === undefined) {
      if (encoding === 'protobuf') throw corrupt(key, 'it is protobuf, and no built-in resource has such keys');
      return { value: withoutNewline(stored), stale: false };
    }
    const written = this.#written.get(key);
    if (written !== undefined && equalBytes(written.stored, stored))
      return { value: written.value, stale: false, isOwn: true };
    try {
      const transcoded = encoding === 'protobuf' ? this.#transcoder.transcode(stored, resource.transcoded) : undefined;
      if (transcoded !== undefined) return { value: transcoded, stale: false };
      const object = encoding === 'json' ? jsonObject(resource, stored, key) : protobufObject(resource, stored, key);
      return { value: encodeStored(toStorageVersion(resource, object, key)), stale: false };
    } catch (caught) {
      this.#options.onUndecodable?.(storedGroupResource(resource.definition));
      throw toError(caught);
    }
  }

  toStorage(value: Uint8Array, { key }: TransformContext): Uint8Array {
    const resource = this.#resourceOf(key);
    if (resource === undefined) return value;
    const isJson = resource.isJson || this.#options.mediaType === 'application/json';
    const stored = isJson ? value : protobufBytes(resource, value, key);
    if (value.length <= MAX_WRITTEN_BYTES) this.#written.set(key, { stored, value });
    return stored;
  }

  /** Finds the resource of a key `<scope>/<prefix>/...`. A prefix has one or two segments. */
  #resourceOf(key: string): TypedResource | undefined {
    const start = this.#options.scope.length + 1;
    const first = key.indexOf('/', start);
    if (first < 0) return undefined;
    const second = key.indexOf('/', first + 1);
    const two = second < 0 ? undefined : this.#resources.get(key.slice(start, second));
    return two ?? this.#resources.get(key.slice(start, first));
  }
}

function isStored(definition: ResourceDefinition): definition is StoredDefinition {
  return definition.storageVersion !== undefined && definition.store === undefined && definition.storage === undefined;
}

function typeKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function protobufObject({ resolve }: TypedResource, stored: Uint8Array, key: string): JsonObject {
  const decoded = decodeObject(stored, resolve);
  if (!decoded.ok) throw corrupt(key, `${decoded.error.message} (offset ${decoded.error.offset})`);
  return decoded.value;
}

function protobufBytes({ definition }: TypedResource, value: Uint8Array, key: string): Uint8Array {
  const encoded = encodeObject(definition.storageVersion.type(), storedObject(value, key), TRANSIENT);
  if (!encoded.ok)
    throw new BugError(`the value of ${JSON.stringify(key)} has no protobuf form: ${encoded.error.message}`);
  return encoded.bytes;
}

function jsonObject({ versions }: TypedResource, stored: Uint8Array, key: string): JsonObject {
  const object = parseObject(stored, key);
  const version = versions.get(typeKey(String(object['apiVersion']), String(object['kind'])));
  if (version === undefined) throw corrupt(key, `no type is known for ${typeOf(object)}`);
  // Protobuf does not encode empty lists; the JSON form has them.
  const normalized = version.normalize(object, true);
  if (!normalized.ok) throw corrupt(key, normalized.message);
  return normalized.object;
}

/** Sets defaults and converts, as kube-apiserver does when it decodes a stored object. */
function toStorageVersion({ definition, versions }: TypedResource, object: JsonObject, key: string): JsonObject {
  const from = versions.get(typeKey(String(object['apiVersion']), String(object['kind'])));
  if (from === undefined) throw corrupt(key, `no type is known for ${typeOf(object)}`);
  from.setDefaults?.(object);
  const to = definition.storageVersion;
  if (from.group === to.group && from.version === to.version) return object;
  const converted = convertObject(definition, object, from, to);
  if (isPromise(converted)) throw new BugError(`${definition.plural} is built in and has an asynchronous conversion`);
  return converted;
}

function typeOf(object: JsonObject): string {
  return `${JSON.stringify(object['apiVersion'] ?? '')}, ${JSON.stringify(object['kind'] ?? '')}`;
}

function withoutNewline(bytes: Uint8Array): Uint8Array {
  return bytes[bytes.length - 1] === NEWLINE ? bytes.subarray(0, -1) : bytes;
}

function corrupt(key: string, reason: string): StorageError {
  return new StorageError('Corrupt', `the value of ${JSON.stringify(key)} cannot be decoded: ${reason}`, { key });
}
