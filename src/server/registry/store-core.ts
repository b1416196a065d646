/**
 * The parts that the verbs of one resource share: keys, versions, cache and storage. A resource has one cache, which
 * starts with the first read or the first request of a client. Once it has started, reads are synchronous if the
 * storage is.
 */
import type { GroupResource } from '../../apimachinery/meta/gvk.ts';
import type { FieldSelector, FieldTerm } from '../../apimachinery/selectors/field-selector.ts';
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { SharedRead } from '../../base/shared-read.ts';
import type { CacheList, CacheRange, Entry, FormKey, FreshResult } from '../../cache/cache.ts';
import { makeEntry, makeOwnEntry } from '../../cache/entry.ts';
import { WatchCache } from '../../cache/watch-cache.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Revision, Storage } from '../../storage/storage.ts';
import type { RegistryHost } from '../resource/registry-host.ts';
import type { ResourceDefinition, StoredHistory } from '../resource/resource-definition.ts';
import type { ObjectBytes, ResourceContext } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { KeyTurns } from './key-turns.ts';
import { ObjectKeys } from './object-keys.ts';
import { readStored, type StoredState } from './stored-object.ts';
import { VersionForms } from './version-forms.ts';

/**
 * The core of a store and the strategy of its writes. A subresource has the core of its parent and another strategy.
 */
export interface StrategyStore {
  readonly core: StoreCore;
  readonly strategy: Strategy;
}

/** How long a read waits for the cache before it reads the key from storage. */
const FRESH_WAIT_MS = 1000;

export class StoreCore {
  readonly definition: ResourceDefinition;
  readonly host: RegistryHost;
  readonly storage: Storage;
  readonly keys: ObjectKeys;
  readonly versions: VersionForms;
  readonly cache: WatchCache;
  /** The queues of concurrent requests that change the same object. */
  readonly turns: KeyTurns;
  #ready = false;
  #starting: Promise<void> | undefined;
  /**
   * Rejects if the cache finds a value that cannot be decoded while it starts. Undefined unless the cache is starting.
   */
  #undecodable: Deferred<never> | undefined;
  /** Whether `storage.revision()` returns no promise, as in an embedded storage. */
  #revisionAtOnce = false;
  /**
   * Waits until the cache has reached the revision of a storage whose revision is a network request. Concurrent reads
   * share the request.
   */
  readonly #fresh: SharedRead<FreshResult>;
  #written: Revision = 0;
  /**
   * Every current object, and every state at or above this revision, is exact. Infinity if this is not known. See
   * StoredHistory.
   */
  #exactFrom: Revision;
  #handedOver = false;
  /** The revision of the storage when the cache was first started; Infinity until it is known. */
  #startedAt: Revision = Number.POSITIVE_INFINITY;

  constructor(definition: ResourceDefinition, host: RegistryHost) {
    this.definition = definition;
    this.host = host;
    this.storage = host.storage;
    this.keys = new ObjectKeys(host.scope, definition.storagePrefix, definition.scope);
    this.versions = new VersionForms(definition);
    this.turns = new KeyTurns(host.clock);
    this.#exactFrom = definition.history === undefined ? 0 : Number.POSITIVE_INFINITY;
    this.cache = new WatchCache({
      storage: host.storage,
      prefixes: [this.keys.root],
      describe: this.versions.describe,
      forms: this.versions,
      clock: host.clock,
      onTrouble: (error) => {
        host.onTrouble(error);
        if (isStorageError(error, 'Corrupt')) this.#undecodable?.reject(error);
      },
    });
    this.#fresh = new SharedRead(async () => this.cache.waitFresh({ timeoutMs: FRESH_WAIT_MS }));
  }

  /** Whether the cache can be read. */
  get ready(): boolean {
    return this.#ready;
  }

  /**
   * Starts the cache. Resolves when the cache can be read. Rejects with a StorageError if the storage cannot be read or
   * a value cannot be decoded; the next call tries again. Idempotent.
   */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    try {
      // Fail here if the storage cannot be read: the cache would retry without end, and a request must not wait for
      // that.
      const revision = await this.storage.revision();
      if (this.#startedAt === Number.POSITIVE_INFINITY) this.#startedAt = revision;
      this.#undecodable = new Deferred<never>();
      await Promise.race([this.cache.start(), this.#undecodable.promise]);
    } catch (caught) {
      this.#starting = undefined;
      throw caught;
    } finally {
      this.#undecodable = undefined;
    }
    const { history } = this.definition;
    if (history !== undefined) this.#exactFrom = this.#exactAtStart(history);
    const revision = this.storage.revision();
    this.#revisionAtOnce = !isPromise(revision);
    await revision;
    this.#ready = true;
  }

  /**
   * Returns `#exactFrom` for a cache that has just started. If the resource is empty and the cache has passed
   * `exactSince`, no older object exists or can still appear.
   */
  #exactAtStart(history: StoredHistory): Revision {
    const since = this.#exactSince(history);
    const isEmpty = this.cache.stats().entriesNow === 0 && this.cache.revision >= since;
    return isEmpty && !this.#handedOver ? since : Number.POSITIVE_INFINITY;
  }

  #exactSince(history: StoredHistory): Revision {
    // On a shared storage another server may still store objects under an earlier schema, until it has seen the new
    // one.
    if (!this.storage.embedded) return Number.POSITIVE_INFINITY;
    return history.exactSince === undefined ? this.#startedAt : history.exactSince();
  }

  /** Runs the task once the cache can be read. The task runs synchronously if the cache has started. */
  whenReady<T>(task: () => MaybePromise<T>): MaybePromise<T> {
    return this.#ready ? task() : this.start().then(task);
  }

  /**
   * Called when another store, with another schema, takes over the objects. Ends watches cleanly; from then on no state
   * is exact.
   */
  handOver(): void {
    this.#handedOver = true;
    this.#exactFrom = Number.POSITIVE_INFINITY;
    this.cache.endWatches();
  }

  /** Stops the cache and ends its watches. Later reads fail with StorageError(Closed). */
  stop(): Promise<void> {
    return this.cache.stop();
  }

  /** The highest revision of a write that was acknowledged through this store. */
  get written(): Revision {
    return this.#written;
  }

  noteWrite(revision: Revision): void {
    if (revision > this.#written) this.#written = revision;
  }

  resourceName(context: ResourceContext): GroupResource {
    return { group: context.version.group, resource: this.definition.plural };
  }

  /** Returns the newest entry of a key. Reads the key from storage only if the cache is behind. */
  freshEntry(key: string): MaybePromise<Entry | undefined> {
    if (!this.#revisionAtOnce) return this.#fresh.get().then((fresh) => this.#entryAt(key, fresh));
    if (this.cache.revision >= (this.storage.revision() as Revision)) return this.cache.get(key);
    return this.#readEntry(key);
  }

  #entryAt(key: string, fresh: FreshResult): MaybePromise<Entry | undefined> {
    return fresh.outcome === 'ok' ? this.cache.get(key) : this.#readEntry(key);
  }

  #readEntry(key: string): MaybePromise<Entry | undefined> {
    return andThen(this.readState(key), (state) => (state === undefined ? undefined : this.entryOf(state)));
  }

  /**
   * Returns the newest state of a key. If a read of storage would be a network request, the state comes from the cache
   * once the cache is fresh.
   */
  freshState(key: string): MaybePromise<StoredState | undefined> {
    if (this.#revisionAtOnce || !this.#ready) return this.readState(key);
    return this.#fresh.get().then((fresh) => {
      const cached = fresh.outcome === 'ok' ? this.cachedState(key) : undefined;
      return cached ?? this.readState(key);
    });
  }

  /** Reads the state of a key from storage. */
  readState(key: string): MaybePromise<StoredState | undefined> {
    return andThen(this.storage.get(key), (result) => (result.outcome === 'found' ? result.item : undefined));
  }

  /**
   * Reads an object from storage and converts it to the storage version. The caller may modify the result. Undefined if
   * the key does not exist.
   */
  readObject(key: string): MaybePromise<JsonObject | undefined> {
    return andThen(this.readState(key), (state) => {
      if (state === undefined) return undefined;
      return this.versions.fromStored(readStored(state), this.versions.hub, this.isExact(state.revision));
    });
  }

  /**
   * Returns the state of a key in the cache, which may be outdated. Undefined if the cache has not started or does not
   * have the key.
   */
  cachedState(key: string): StoredState | undefined {
    if (!this.#ready) return undefined;
    try {
      const entry = this.cache.get(key);
      return entry === undefined ? undefined : { key, revision: entry.revision, value: entry.bytes };
    } catch (caught) {
      // The caller then reads storage, which reports the corrupt value.
      if (isStorageError(caught, 'Corrupt')) return undefined;
      throw caught;
    }
  }

  /** Returns the cache entry of a state: the cache's own entry if it has that state, otherwise a new one. */
  entryOf(state: StoredState): Entry {
    return this.#entryOf(state, makeEntry);
  }

  /** Like `entryOf`, for the state after an acknowledged write. The cache uses the entry for the event of the write. */
  entryOfWrite(state: StoredState): Entry {
    const entry = this.#entryOf(state, makeOwnEntry);
    this.cache.expect(entry, state.value);
    return entry;
  }

  #entryOf({ key, revision, value }: StoredState, make: typeof makeOwnEntry): Entry {
    const cached = this.#ready ? this.cache.get(key) : undefined;
    if (cached?.revision === revision) return cached;
    const entry = make(this.versions.describe, key, revision, value);
    if (entry.broken !== undefined) throw entry.broken;
    return entry;
  }

  /** Whether the stored bytes of a current state are exact: in the storage version and valid for the current schema. */
  isExact(revision: Revision): boolean {
    if (this.#exactFrom !== Number.POSITIVE_INFINITY) return true;
    const { history } = this.definition;
    return history === undefined || (!this.#handedOver && revision > this.#exactSince(history));
  }

  /**
   * Returns the cache form of a version; undefined if the stored bytes can be served. `oldest` is the revision of the
   * oldest state that is read, for lists and watches that go back in history.
   */
  formFor(version: VersionDefinition, oldest: Revision = Number.MAX_SAFE_INTEGER): FormKey | undefined {
    const form = this.versions.formOf(version);
    return form === undefined && oldest < this.#exactFrom ? this.versions.hubForm : form;
  }

  /** Like `formFor`, for a list or a watch. `fields` is its field selector. */
  formForRequest(context: ResourceContext, fields: FieldSelector, oldest?: Revision): FormKey | undefined {
    const isStored = this.showsStored(context) && fields.terms.every(isOfKey);
    return isStored ? undefined : this.formFor(context.version, oldest);
  }

  /** Whether a request needs only metadata, and the metadata of stored objects can be served without conversion. */
  showsStored({ metadataOnly }: ResourceContext): boolean {
    return metadataOnly === true && this.definition.keepsMetadata?.() === true;
  }

  /**
   * Called after a list in the storage version. If it was a list of all objects and no form differed from the stored
   * bytes, all objects are exact from now on.
   */
  noteShown(range: CacheRange, list: CacheList): void {
    if (this.#exactFrom !== Number.POSITIVE_INFINITY || this.#handedOver) return;
    if (!('prefix' in range) || range.prefix !== this.keys.root) return;
    const { history } = this.definition;
    if (history !== undefined && this.#exactSince(history) === Number.POSITIVE_INFINITY) return;
    const stored = this.cache.list(range);
    if (isPromise(stored) || stored.revision !== list.revision || stored.items.length !== list.items.length) return;
    if (stored.items.every((bytes, i) => bytes === list.items[i])) this.#exactFrom = list.revision;
  }

  /** Returns the bytes of an entry in a version. Throws, or rejects with, the error of the conversion. */
  show(entry: Entry, version: VersionDefinition): MaybePromise<ObjectBytes> {
    const form = this.versions.formOf(version) ?? (this.isExact(entry.revision) ? undefined : this.versions.hubForm);
    if (form === undefined) return entry.bytes;
    return andThen(this.cache.form(entry, form), (made) => made.bytes);
  }
}

/** Whether the key of an object suffices to evaluate the term. */
function isOfKey({ field }: FieldTerm): boolean {
  return field === 'metadata.name' || field === 'metadata.namespace';
}
