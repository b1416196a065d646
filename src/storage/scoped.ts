/**
 * A store inside a store: all keys that begin with a prefix, without it.
 * Invariant: nothing outside the prefix can be read, written or watched through it. Revisions, the horizon and the history are those of
 * the whole store, so revisions have gaps where others wrote, and `compact` compacts for all.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import { andThen } from '../base/maybe-promise.ts';
import { checkRange, checkTransaction, checkWatch } from './checks.ts';
import { isStorageError, StorageError } from './errors.ts';
import { checkKey, type KeyRange } from './keys.ts';
import { inScope, ScopedSnapshot } from './scoped-snapshot.ts';
import { ScopedWatch } from './scoped-watch.ts';
import {
  type CreateOptions,
  type DeleteResult,
  type ForkableStorage,
  type GetResult,
  isForkable,
  type KeyValue,
  type ListOptions,
  type ListResult,
  type ReadOptions,
  type Revision,
  type Snapshot,
  type Storage,
  type Transaction,
  type TransactionResult,
  type Watch,
  type WatchOptions,
  type WatchSink,
  type WriteOptions,
  type WriteResult,
} from './storage.ts';

/**
 * `prefix` is a fit key, usually `<scope>/`. Keys may be shorter than elsewhere, by the length of the prefix. stop() ends the watches
 * and snapshots that were made through this store and leaves `storage` open; a fork has a whole store of its own and stops it.
 */
export function scoped(storage: ForkableStorage, prefix: string): ForkableStorage;
export function scoped(storage: Storage, prefix: string): Storage;
export function scoped(storage: Storage, prefix: string): Storage {
  checkKey(prefix);
  return isForkable(storage)
    ? new ForkableScopedStorage(storage, prefix, false)
    : new ScopedStorage(storage, prefix, false);
}

class ScopedStorage implements Storage {
  readonly driver: string;
  protected readonly prefix: string;
  readonly #inner: Storage;
  readonly #owned: boolean;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #watches = new Set<ScopedWatch>();
  readonly #snapshots = new Set<ScopedSnapshot>();
  #closed = false;
  #stopping: Promise<void> | undefined;

  constructor(inner: Storage, prefix: string, owned: boolean) {
    this.driver = inner.driver;
    this.#inner = inner;
    this.prefix = prefix;
    this.#owned = owned;
  }

  revision(): MaybePromise<Revision> {
    return this.open().revision();
  }

  horizon(): Revision {
    return this.open().horizon();
  }

  oldestRevision(): Revision {
    return this.open().oldestRevision();
  }

  get(key: string, options?: ReadOptions): MaybePromise<GetResult> {
    checkKey(key);
    return andThen(this.open().get(this.prefix + key, options), (result) =>
      result.outcome === 'found' ? { ...result, item: this.#strip(result.item) } : result,
    );
  }

  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult> {
    checkRange(range);
    return andThen(this.open().list(inScope(range, this.prefix), options), (result) =>
      result.outcome === 'ok'
        ? {
            ...result,
            items: result.items.map((item) => this.#strip(item)),
            next: result.next?.slice(this.prefix.length),
          }
        : result,
    );
  }

  create(key: string, value: Uint8Array, options?: CreateOptions): Promise<WriteResult> {
    return this.#write(async (inner) => {
      checkKey(key);
      return this.#stripWrite(await inner.create(this.prefix + key, value, options));
    });
  }

  compareAndWrite(key: string, expected: Revision, value: Uint8Array, options?: WriteOptions): Promise<WriteResult> {
    return this.#write(async (inner) => {
      checkKey(key);
      return this.#stripWrite(await inner.compareAndWrite(this.prefix + key, expected, value, options));
    });
  }

  delete(key: string, options?: { readonly expected?: Revision }): Promise<DeleteResult> {
    return this.#write(async (inner): Promise<DeleteResult> => {
      checkKey(key);
      const result = await inner.delete(this.prefix + key, options);
      switch (result.outcome) {
        case 'ok':
          return { ...result, deleted: this.#strip(result.deleted) };
        case 'conflict':
          return { ...result, current: this.#strip(result.current) };
        case 'missing':
          return result;
      }
    });
  }

  transact(transaction: Transaction): Promise<TransactionResult> {
    return this.#write(async (inner): Promise<TransactionResult> => {
      checkTransaction(transaction);
      const result = await inner.transact({
        checks: transaction.checks.map((check) => ({ ...check, key: this.prefix + check.key })),
        writes: transaction.writes.map((write) => ({ ...write, key: this.prefix + write.key })),
      });
      return result.outcome === 'ok'
        ? result
        : { ...result, current: result.current.map((item) => item && this.#strip(item)) };
    });
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    const inner = this.open();
    checkWatch(options);
    const watch = new ScopedWatch(sink, this.prefix.length, (ended) => this.#watches.delete(ended));
    const ranges = options.ranges.map((range) => inScope(range, this.prefix));
    watch.start((innerSink) => inner.watch({ ...options, ranges }, innerSink));
    this.#watches.add(watch);
    return watch;
  }

  async compact(revision: Revision): Promise<void> {
    await this.open().compact(revision);
  }

  snapshot(): MaybePromise<Snapshot> {
    return andThen(this.open().snapshot(), (inner): MaybePromise<Snapshot> => {
      // It was under way when this store was stopped, which therefore could not stop it.
      if (this.#closed) return inner.stop().then(() => Promise.reject(closed()));
      const snapshot = new ScopedSnapshot(inner, this.prefix, (ended) => this.#snapshots.delete(ended));
      this.#snapshots.add(snapshot);
      return snapshot;
    });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
    await this.#deliverAll();
    for (const watch of [...this.#watches]) watch.close();
    for (const snapshot of [...this.#snapshots]) await snapshot.stop();
    if (this.#owned) await this.#inner.stop();
  }

  /** The watches hear of every write before they end. */
  async #deliverAll(): Promise<void> {
    if (this.#watches.size === 0) return;
    try {
      const revision = await this.#inner.revision();
      await Promise.all([...this.#watches].map((watch) => watch.caughtUp(revision)));
    } catch (caught) {
      // The outer store is stopping too: it delivers and ends the watches itself.
      if (!isStorageError(caught, 'Closed')) throw caught;
    }
  }

  /** The store around this one; throws Closed after stop(). */
  protected open(): Storage {
    if (this.#closed) throw closed();
    return this.#inner;
  }

  #write<R>(write: (inner: Storage) => Promise<R>): Promise<R> {
    const result = (async () => write(this.open()))();
    this.#writes.add(result);
    const done = (): void => void this.#writes.delete(result);
    result.then(done, done);
    return result;
  }

  #strip(item: KeyValue): KeyValue {
    return { ...item, key: item.key.slice(this.prefix.length) };
  }

  #stripWrite(result: WriteResult): WriteResult {
    return result.outcome === 'conflict' && result.current !== undefined
      ? { ...result, current: this.#strip(result.current) }
      : result;
  }
}

class ForkableScopedStorage extends ScopedStorage implements ForkableStorage {
  readonly #forkable: ForkableStorage;

  constructor(inner: ForkableStorage, prefix: string, owned: boolean) {
    super(inner, prefix, owned);
    this.#forkable = inner;
  }

  fork(from?: Snapshot): ForkableStorage {
    this.open();
    if (from !== undefined && !(from instanceof ScopedSnapshot))
      throw new StorageError('InvalidArgument', 'a scoped store forks from snapshots of a scoped store');
    return new ForkableScopedStorage(this.#forkable.fork(from?.inner()), this.prefix, true);
  }
}

function closed(): StorageError {
  return new StorageError('Closed', 'the scoped store is stopped');
}
