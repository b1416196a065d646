/**
 * The resource-store over Storage: what a resource gets that declares no store of its own. One verb is one file; this puts them together. Invariant: it
 * starts nothing by itself; the first use starts its cache, and `stop()` leaves nothing behind.
 */
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import type { GetOptions } from '../../apimachinery/meta/options.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { CacheStats } from '../../cache/cache.ts';
import type { ResourceDefinition } from './definition.ts';
import type { RegistryHost } from './host.ts';
import type {
  CreateRequest,
  ListPage,
  ObjectBytes,
  ResourceContext,
  ResourceStore,
  ResourceWatch,
  ResourceWatchSink,
  WatchRequest,
  WriteAnswer,
} from './resource-store.ts';
import { StoreCore } from './store-core.ts';
import { createObject } from './store-create.ts';
import { listObjects } from './store-list.ts';
import { getObject } from './store-read.ts';
import { watchObjects } from './store-watch.ts';

export class RegistryStore implements ResourceStore, Stoppable {
  readonly #core: StoreCore;
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

  /** Starts the cache now instead of with the first request; resolves when it can be read. */
  start(): Promise<void> {
    return this.#core.start();
  }

  /** Figures of the cache. */
  stats(): CacheStats {
    return this.#core.cache.stats();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#core.stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
