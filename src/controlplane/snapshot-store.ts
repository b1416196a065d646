/**
 * The read-only store over the state of an etcd snapshot. It decodes every value once, when it is filled. Values that
 * cannot be decoded are left out and reported, because a single one would fail every list of its resource.
 */
import { toError } from '../base/errors.ts';
import { isJsonObject } from '../base/json-value.ts';
import { isPromise } from '../base/maybe-promise.ts';
import { type StorageMediaType, StoredForms } from '../server/registry/stored-forms.ts';
import { parseObject } from '../server/registry/stored-object.ts';
import { chained } from '../storage/chained-transformer.ts';
import type { EncryptionRules } from '../storage/encryption/encryption.ts';
import { createMirrorStorage, type MirrorStorage } from '../storage/memory/memory-storage.ts';
import { readOnly } from '../storage/read-only.ts';
import type { KeyValue, Storage } from '../storage/storage.ts';
import type { ValueTransformer } from '../storage/value-transformer.ts';
import { keyOfEtcd, SCOPE } from './etcd-keys.ts';
import { createEncryption } from './stored-encryption.ts';

/** A state of etcd. */
export interface EtcdState {
  readonly revision: number;
  readonly items: readonly KeyValue[];
}

/** A value that cannot be shown. */
export interface Undecodable {
  readonly key: string;
  readonly reason: string;
}

/** The keys of a resource that no server of this process serves. */
export interface Unserved {
  /** The group and the plural as they are in the keys: `example.com/widgets`. */
  readonly resource: string;
  readonly objects: number;
}

export interface SnapshotReport {
  readonly revision: number;
  /** How many objects the store has. */
  readonly objects: number;
  readonly undecodable: readonly Undecodable[];
  readonly unserved: readonly Unserved[];
  /** How many keys are not below the prefix. */
  readonly foreignKeys: number;
}

export interface SnapshotStoreOptions {
  /** The prefix of the keys, without a final slash: `/registry`. */
  readonly prefix: string;
  /** How `forms` encodes built-in kinds for another store. Default JSON. */
  readonly mediaType?: StorageMediaType;
  /** The message of a refused write. */
  readonly reason: string;
  /** The rules of the EncryptionConfiguration. Default: encrypted values cannot be decoded. */
  readonly rules?: EncryptionRules | undefined;
}

/** First segments of kube-apiserver's keys that are not API objects. */
const INTERNAL = new Set(['ranges', 'masterleases', 'peerserverleases', 'health']);
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const EMPTY_REVISION = 1;

export class SnapshotStore {
  /** The caller must bind it to the resources of the servers before `fill`. */
  readonly forms: StoredForms;
  readonly storage: Storage;
  readonly #options: SnapshotStoreOptions;
  readonly #transformer: ValueTransformer;
  readonly #mirror: MirrorStorage;

  constructor(options: SnapshotStoreOptions) {
    this.#options = options;
    this.forms = new StoredForms({ scope: SCOPE, mediaType: options.mediaType ?? 'application/json' });
    const { rules, prefix } = options;
    this.#transformer =
      rules === undefined ? this.forms : chained(createEncryption(rules, this.forms, prefix), this.forms);
    this.#mirror = createMirrorStorage({ revision: EMPTY_REVISION, items: [] });
    this.storage = readOnly(this.#mirror, options.reason);
  }

  /** Decodes every value once. Called once, before the storage is read. */
  async fill({ revision, items }: EtcdState): Promise<SnapshotReport> {
    const kept: KeyValue[] = [];
    const undecodable: Undecodable[] = [];
    const definitions = new Set<string>();
    const others = new Map<string, number>();
    let foreignKeys = 0;
    for (const item of items) {
      const key = keyOfEtcd(item.key, this.#options.prefix);
      if (key === undefined) {
        foreignKeys++;
        continue;
      }
      const resource = resourceOf(key);
      if (INTERNAL.has(resource.split('/')[0] as string)) continue;
      try {
        const decoded = this.#transformer.fromStorage(item.value, { key });
        const { value } = isPromise(decoded) ? await decoded : decoded;
        if (resource === DEFINITIONS) definitions.add(definedResource(value, key));
        else if (this.forms.definitionOf(key) === undefined) others.set(resource, (others.get(resource) ?? 0) + 1);
        kept.push({ key, value, revision: item.revision, created: item.created });
      } catch (caught) {
        undecodable.push({ key: item.key, reason: reasonOf(caught) });
      }
    }
    this.#mirror.restart(revision, kept);
    const unserved = [...others].flatMap(([resource, objects]) =>
      definitions.has(resource) ? [] : [{ resource, objects }],
    );
    return { revision, objects: kept.length, undecodable, unserved, foreignKeys };
  }
}

/** Returns the first two segments after the scope: `pods/default`, `example.com/widgets`. */
function resourceOf(key: string): string {
  return key.split('/').slice(1, 3).join('/');
}

/** The resource that a CustomResourceDefinition defines. */
function definedResource(value: Uint8Array, key: string): string {
  const { spec } = parseObject(value, key);
  if (!isJsonObject(spec) || !isJsonObject(spec['names'])) return '';
  return `${String(spec['group'])}/${String(spec['names']['plural'])}`;
}

/** Returns the reason why a value cannot be decoded, without its key. */
function reasonOf(caught: unknown): string {
  return toError(caught).message.replace(/^the value of .* cannot be decoded: /, '');
}
