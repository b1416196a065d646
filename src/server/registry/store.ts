/**
 * The resource store over a Storage, for resources that do not declare their own store. Each verb has its own file. A
 * new store starts nothing: the first request starts its cache, and `stop()` stops everything that was started.
 */
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import type { GetOptions } from '../../apimachinery/meta/write-options.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { CacheStats } from '../../cache/cache.ts';
import { RegistryLister } from '../own/create-lister.ts';
import type { Lister } from '../own/lister.ts';
import type { RegistryHost } from '../resource/registry-host.ts';
import type { ResourceDefinition } from '../resource/resource-definition.ts';
import type {
  CreateRequest,
  DeleteAnswer,
  DeleteCollectionRequest,
  DeleteRequest,
  ListPage,
  ObjectBytes,
  ObjectChange,
  ResourceContext,
  ResourceStore,
  ResourceWatch,
  ResourceWatchSink,
  UpdateRequest,
  WatchRequest,
  WriteAnswer,
} from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import { countKeys } from './count-keys.ts';
import { answering } from './storage-status.ts';
import { StoreCore, type StrategyStore } from './store-core.ts';
import { createObject } from './store-create.ts';
import { deleteObject } from './store-delete.ts';
import { deleteCollection } from './store-delete-collection.ts';
import { listObjects } from './store-list.ts';
import { getObject } from './store-read.ts';
import { updateObject } from './store-update.ts';
import { watchObjects } from './store-watch.ts';

/**
 * A store that uses the cache if it has started, but never starts it. With it, a server that writes a few objects of a
 * kind at its start need not read all objects of that kind.
 */
export interface UncachedStore extends Required<Pick<ResourceStore, 'create' | 'update' | 'delete'>> {
  /**
   * Reads the object from storage, in the storage version. The caller may modify the result. Undefined if it does not
   * exist.
   */
  read(context: ResourceContext): Promise<JsonObject | undefined>;
}

export class RegistryStore implements ResourceStore, Stoppable {
  readonly #core: StoreCore;
  /** The core with the resource's own strategy. */
  readonly #store: StrategyStore;
  #lister: RegistryLister | undefined;
  #stopping: Promise<void> | undefined;

  /** Throws BugError for a definition without a storage version. */
  constructor(definition: ResourceDefinition, host: RegistryHost) {
    this.#core = new StoreCore(definition, host);
    this.#store = { core: this.#core, strategy: definition.strategy };
  }

  get(context: ResourceContext, options: GetOptions): MaybePromise<ObjectBytes> {
    return getObject(this.#core, context, options);
  }

  list(context: ResourceContext, options: ListOptions): MaybePromise<ListPage> {
    return listObjects(this.#core, context, options);
  }

  watch(context: ResourceContext, request: WatchRequest, sink: ResourceWatchSink): MaybePromise<ResourceWatch> {
    return watchObjects(this.#core, context, request, sink);
  }

  create(context: ResourceContext, object: JsonObject, request: CreateRequest): MaybePromise<WriteAnswer> {
    const store = this.#store;
    if (store.core.ready) return createObject(store, context, object, request);
    return afterStart(store.core, context, 'create', () => createObject(store, context, object, request));
  }

  update(context: ResourceContext, change: ObjectChange, request: UpdateRequest): MaybePromise<WriteAnswer> {
    return updateWhenReady(this.#store, context, change, request);
  }

  delete(context: ResourceContext, request: DeleteRequest): MaybePromise<DeleteAnswer> {
    const core = this.#core;
    if (core.ready) return deleteObject(core, context, request);
    return afterStart(core, context, 'delete', () => deleteObject(core, context, request));
  }

  deleteCollection(context: ResourceContext, request: DeleteCollectionRequest): MaybePromise<ListPage> {
    return deleteCollection(this.#core, context, request);
  }

  /**
   * Returns a store of the same objects with another strategy, for subresources such as `status`. It stops with this
   * store.
   */
  withStrategy(strategy: Strategy): Required<Pick<ResourceStore, 'get' | 'update'>> {
    const core = this.#core;
    const store = { core, strategy };
    return {
      get: (context, options) => getObject(core, context, options),
      update: (context, change, request) => updateWhenReady(store, context, change, request),
    };
  }

  /**
   * Returns a store of the same objects with another strategy, for the server's own writes. It stops with this store.
   */
  uncached(strategy: Strategy): UncachedStore {
    const core = this.#core;
    const store = { core, strategy };
    return {
      read: async (context) =>
        answering(core.resourceName(context), 'get', () =>
          core.readObject(core.keys.key(context.namespace, context.name)),
        ),
      create: (context, object, request) => createObject(store, context, object, request),
      update: (context, change, request) => updateObject(store, context, change, request),
      delete: (context, request) => deleteObject(core, context, request),
    };
  }

  /**
   * Returns the lister of the resource, which all callers share. Resolves once the lister has the current state;
   * rejects after `stop()`.
   */
  lister(): Promise<Lister> {
    if (this.#lister === undefined) {
      this.#lister = new RegistryLister(this.#core);
      if (this.#stopping !== undefined) this.#lister.stop();
    }
    return this.#lister.start();
  }

  /** Starts the cache before the first request. Resolves when it can be read. */
  start(): Promise<void> {
    return this.#core.start();
  }

  /** Returns the number of stored objects, from the cache if it has started, otherwise counted in storage. */
  count(): MaybePromise<number> {
    const { ready, cache, storage, keys } = this.#core;
    return ready ? cache.stats().entriesNow : countKeys(storage, keys.root);
  }

  /** The counters of the cache. */
  stats(): CacheStats {
    return this.#core.cache.stats();
  }

  /**
   * Called when another store takes over the objects. Ends watches cleanly; requests that have begun continue until
   * `stop()`.
   */
  handOver(): void {
    this.#core.handOver();
  }

  stop(): Promise<void> {
    this.#lister?.stop();
    this.#stopping ??= this.#core.stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function updateWhenReady(
  store: StrategyStore,
  context: ResourceContext,
  change: ObjectChange,
  request: UpdateRequest,
): MaybePromise<WriteAnswer> {
  if (store.core.ready) return updateObject(store, context, change, request);
  return afterStart(store.core, context, 'update', () => updateObject(store, context, change, request));
}

/** Runs the task once the cache has started. A stopped store throws the Status of the verb. */
function afterStart<T>(
  core: StoreCore,
  context: ResourceContext,
  verb: string,
  task: () => MaybePromise<T>,
): MaybePromise<T> {
  return answering(core.resourceName(context), verb, () => core.start().then(task));
}
