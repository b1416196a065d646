/**
 * The resource-store over Storage: what a resource gets that declares no store of its own. One verb is one file; this puts them together. Invariant: it
 * starts nothing by itself; the first use starts its cache, and `stop()` leaves nothing behind.
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
import type { ResourceDefinition, Strategy } from '../resource/resource-definition.ts';
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
import { StoreCore } from './store-core.ts';
import { createObject } from './store-create.ts';
import { deleteObject } from './store-delete.ts';
import { deleteCollection } from './store-delete-collection.ts';
import { listObjects } from './store-list.ts';
import { getObject } from './store-read.ts';
import { updateObject } from './store-update.ts';
import { watchObjects } from './store-watch.ts';

export class RegistryStore implements ResourceStore, Stoppable {
  readonly #core: StoreCore;
  #lister: RegistryLister | undefined;
  #stopping: Promise<void> | undefined;

  /** Throws BugError for a definition without a storage version. */
  constructor(definition: ResourceDefinition, host: RegistryHost) {
    this.#core = new StoreCore(definition, host);
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
    return createObject(this.#core, context, object, request);
  }

  update(context: ResourceContext, change: ObjectChange, request: UpdateRequest): MaybePromise<WriteAnswer> {
    const core = this.#core;
    return updateObject(core, core.definition.strategy, context, change, request);
  }

  delete(context: ResourceContext, request: DeleteRequest): MaybePromise<DeleteAnswer> {
    return deleteObject(this.#core, context, request);
  }

  deleteCollection(context: ResourceContext, request: DeleteCollectionRequest): MaybePromise<ListPage> {
    return deleteCollection(this.#core, context, request);
  }

  /** The same objects, read and updated under other rules: what `status` and `finalize` are. It ends with this store. */
  withStrategy(strategy: Strategy): Required<Pick<ResourceStore, 'get' | 'update'>> {
    const core = this.#core;
    return {
      get: (context, options) => getObject(core, context, options),
      update: (context, change, request) => updateObject(core, strategy, context, change, request),
    };
  }

  /** The resource's objects for the server's own use; one for all who ask. Resolves when it holds the present state; rejects with Closed after stop(). */
  lister(): Promise<Lister> {
    if (this.#lister === undefined) {
      this.#lister = new RegistryLister(this.#core);
      if (this.#stopping !== undefined) this.#lister.stop();
    }
    return this.#lister.start();
  }

  /** Starts the cache now instead of with the first request; resolves when it can be read. */
  start(): Promise<void> {
    return this.#core.start();
  }

  /** Figures of the cache. */
  stats(): CacheStats {
    return this.#core.cache.stats();
  }

  /** Another store serves the objects from now on: watches end cleanly; what has begun goes on until `stop()`. */
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
