/**
 * The informer: a reflector that fills a store, and the queues of the handlers.
 * Invariant: handlers are called after the store has all changes of a page or of a part of a watch, so a handler never
 * sees a store that is older than its notification.
 */
import type { Delivery, ListWatchOptions } from '../apimachinery/watch/list-watch-state.ts';
import { onAbort } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { BugError, toError } from '../base/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { HandlerQueue } from './handler-queue.ts';
import { IndexedStore, objectKeyOf, type StoreChange } from './indexed-store.ts';
import type {
  EventHandler,
  HandlerRegistration,
  IndexFunction,
  Informer,
  InformerFailure,
  InformerOptions,
  ObjectKey,
  ObjectStore,
} from './informer.ts';
import type { ListWatchSource } from './list-watch-source.ts';
import type { Stored } from './object-types.ts';
import { Reflector } from './reflector.ts';
import { compareResourceVersions, isResourceVersion } from './resource-version.ts';

export interface SharedInformerOptions<T> extends Pick<InformerOptions<T>, 'transform' | 'resyncMs' | 'indexes'> {
  readonly kind: Kind<T>;
  /** Lists and watches. The informer takes ownership of its objects, and may modify and freeze them. */
  readonly source: ListWatchSource<Stored<T>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onFailure: (error: Error, source: InformerFailure['source']) => void;
  readonly listWatch?: Partial<ListWatchOptions>;
}

interface Waiter {
  readonly resourceVersion: string;
  readonly done: Deferred<void>;
}

export class SharedInformer<T> implements Informer<T> {
  readonly kind: Kind<T>;
  readonly #options: SharedInformerOptions<T>;
  readonly #store: IndexedStore<T>;
  readonly #reflector: Reflector<Stored<T>>;
  readonly #synced = new Deferred<void>();
  /** The queues of the handlers, with the timers of their next resyncs. */
  readonly #handlers = new Map<HandlerQueue<T>, Timer | undefined>();
  readonly #waiters = new Set<Waiter>();
  /** The objects of a list that is not complete. */
  #listed: Map<ObjectKey, Stored<T>> | undefined;
  #hasSynced = false;
  #stopping: Promise<void> | undefined;

  constructor(options: SharedInformerOptions<T>) {
    const { kind, source, clock, random, onFailure, listWatch } = options;
    this.kind = kind;
    this.#options = options;
    this.#store = new IndexedStore((error) => onFailure(error, 'index'));
    for (const [name, index] of Object.entries(options.indexes ?? {})) this.#store.addIndex(name, index);
    this.#reflector = new Reflector<Stored<T>>({
      source,
      clock,
      random,
      deliver: (delivery) => this.#receive(delivery),
      onBatch: () => this.#onBatch(),
      onFailure: (error) => onFailure(error, 'reflector'),
      ...(listWatch === undefined ? {} : { listWatch }),
    });
    this.#synced.promise.catch(() => undefined);
  }

  get store(): ObjectStore<T> {
    return this.#store;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get lastFailure(): Error | undefined {
    return this.#reflector.lastFailure;
  }

  start(): void {
    this.#reflector.start();
  }

  addHandler(handler: EventHandler<T>, options: { readonly resyncMs?: number } = {}): HandlerRegistration {
    if (this.#stopping !== undefined) throw new BugError(`the informer of ${this.kind.plural} has stopped`);
    const queue = new HandlerQueue(handler, {
      onFailure: (error) => this.#options.onFailure(error, 'handler'),
      onRemove: () => this.#forget(queue),
    });
    if (this.#hasSynced) {
      for (const [key, object] of this.#store.entries()) queue.push({ type: 'add', key, object, isInitial: true });
      queue.pushSynced();
      // The caller must get the registration before the first call of the handler.
      queueMicrotask(() => queue.drain());
    }
    this.#handlers.set(queue, undefined);
    this.#armResync(queue, options.resyncMs ?? this.#options.resyncMs ?? 0);
    return queue;
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    this.#store.addIndex(name, index);
  }

  async waitFor(resourceVersion: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (resourceVersion !== '' && !isResourceVersion(resourceVersion))
      throw new BugError(`${JSON.stringify(resourceVersion)} is not a resourceVersion`);
    options.signal?.throwIfAborted();
    if (this.#hasSeen(resourceVersion)) return;
    if (this.#stopping !== undefined) throw this.#stopped();
    const waiter: Waiter = { resourceVersion, done: new Deferred() };
    this.#waiters.add(waiter);
    const release = onAbort(options.signal, (reason) => waiter.done.reject(reason));
    try {
      await waiter.done.promise;
    } finally {
      release();
      this.#waiters.delete(waiter);
    }
  }

  /**
   * Stops the informer. Resolves when the running calls of handlers have settled, so a handler must not wait for it.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    this.#reflector.stop();
    this.#listed = undefined;
    const reason = this.#stopped();
    if (!this.#hasSynced) this.#synced.reject(reason);
    for (const waiter of this.#waiters) waiter.done.reject(reason);
    const queues = [...this.#handlers.keys()];
    for (const queue of queues) this.#forget(queue);
    await Promise.all(queues.map((queue) => queue.close(reason.message)));
  }

  #stopped(): DOMException {
    return new DOMException(`the informer of ${this.kind.plural} has stopped`, 'AbortError');
  }

  /* ---- deliveries of the reflector ---- */

  #receive(delivery: Delivery<Stored<T>>): void {
    switch (delivery.type) {
      case 'init':
        this.#listed = new Map();
        return;
      case 'init-apply':
        this.#list(delivery.object);
        return;
      case 'init-delete':
        this.#listed?.delete(objectKeyOf(delivery.object));
        return;
      case 'init-changes':
        for (const { type, object } of delivery.events)
          if (type === 'DELETED') this.#listed?.delete(objectKeyOf(object));
          else this.#list(object);
        return;
      case 'changes':
        for (const { type, object } of delivery.events)
          if (type === 'DELETED') this.#delete(object);
          else this.#apply(object);
        return;
      case 'init-done':
        this.#replace(delivery.resourceVersion);
        return;
      case 'apply':
        this.#apply(delivery.object);
        return;
      case 'delete':
        this.#delete(delivery.object);
        return;
      default:
        this.#store.advance(delivery.resourceVersion);
    }
  }

  #apply(object: Stored<T>): void {
    this.#notify(this.#store.apply(this.#transformed(object)));
  }

  #delete(object: Stored<T>): void {
    this.#notify(this.#store.delete(this.#transformed(object)));
  }

  /**
   * Adds an object to the list in progress. If it has not changed, the stored object is kept, and the new one is not
   * transformed.
   */
  #list(object: Stored<T>): void {
    const key = objectKeyOf(object);
    const present = this.#store.peek(key);
    const unchanged =
      present !== undefined &&
      present.metadata.resourceVersion === object.metadata.resourceVersion &&
      present.metadata.uid === object.metadata.uid;
    this.#listed?.set(key, unchanged ? present : this.#transformed(object));
  }

  #replace(resourceVersion: string): void {
    const changes = this.#store.replace(this.#listed ?? new Map(), resourceVersion);
    this.#listed = undefined;
    for (const change of changes) this.#notify(change);
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#synced.resolve();
    for (const queue of this.#handlers.keys()) queue.pushSynced();
  }

  /** Runs the transform. Returns the object to store. */
  #transformed(object: Stored<T>): Stored<T> {
    const { transform } = this.#options;
    if (transform === undefined) return object;
    try {
      const result = transform(object as T) as Stored<T> | undefined;
      if (typeof result?.metadata?.name !== 'string') throw new BugError('the transform returned no object');
      return result;
    } catch (caught) {
      this.#options.onFailure(toError(caught), 'transform');
      return object;
    }
  }

  #notify(change: StoreChange<T> | undefined): void {
    if (change !== undefined) for (const queue of this.#handlers.keys()) queue.push(change);
  }

  #onBatch(): void {
    for (const waiter of this.#waiters) if (this.#hasSeen(waiter.resourceVersion)) waiter.done.resolve();
    for (const queue of this.#handlers.keys()) queue.drain();
  }

  #hasSeen(resourceVersion: string): boolean {
    return this.#hasSynced && compareResourceVersions(this.#store.resourceVersion, resourceVersion) >= 0;
  }

  /* ---- resync ---- */

  #armResync(queue: HandlerQueue<T>, resyncMs: number): void {
    if (resyncMs <= 0) return;
    const timer = this.#options.clock.setTimer(resyncMs, () => this.#resync(queue, resyncMs), { background: true });
    this.#handlers.set(queue, timer);
  }

  #resync(queue: HandlerQueue<T>, resyncMs: number): void {
    this.#armResync(queue, resyncMs);
    if (!queue.hasSynced || queue.length > 0) return;
    for (const [key, object] of this.#store.entries())
      queue.push({ type: 'update', key, before: object, after: object });
    queue.drain();
  }

  #forget(queue: HandlerQueue<T>): void {
    this.#handlers.get(queue)?.cancel();
    this.#handlers.delete(queue);
  }
}
