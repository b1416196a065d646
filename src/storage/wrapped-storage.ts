/**
 * The base class of stores that wrap another store: `scoped.ts` and `transformed.ts`. It maps the keys and values of
 * requests and the items of results, and counts writes in flight for stop(). A wrapper is an EmbeddedStorage if its
 * inner store is one.
 * Invariant: once stop() is called no method reaches the inner store through the wrapper, and writes in flight are
 * answered first.
 */
import { BugError } from '../base/errors.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { checkRange, checkTransaction } from './checks.ts';
import {
  type EmbeddedStorage,
  isEmbedded,
  type Snapshot,
  type Transaction,
  type TransactionResult,
  type Write,
} from './embedded-storage.ts';
import { StorageError } from './errors.ts';
import { InFlight } from './in-flight.ts';
import { checkKey, type KeyRange } from './keys.ts';
import type {
  CreateOptions,
  DeleteResult,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
  SeenState,
  Storage,
  StorageLimits,
  Watch,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from './storage.ts';

/** The mapping between the keys and items of a wrapper and those of its inner store. */
export interface StorageMapping {
  /** A word for messages: `scoped`, `transformed`. */
  readonly name: string;
  /** The key of the inner store. */
  innerKey(key: string): string;
  /** The key of the wrapper: the inverse of `innerKey`. */
  outerKey(key: string): string;
  /** Maps an item of the inner store to an item of the wrapper. */
  outerItem(item: KeyValue): MaybePromise<KeyValue>;
}

export abstract class WrappedStorage implements Storage {
  readonly driver: string;
  readonly embedded: boolean;
  readonly limits: StorageLimits;
  readonly mayBeStale: boolean;
  protected readonly mapping: StorageMapping;
  /** Subclasses use it while stop() waits for writes. Other methods use `open`, which then throws Closed. */
  protected readonly inner: Storage;
  readonly #writes = new InFlight();
  readonly #snapshots = new Set<WrappedSnapshot>();
  #closed = false;
  #stopping: Promise<void> | undefined;

  constructor(inner: Storage, mapping: StorageMapping, mayBeStale: boolean = inner.mayBeStale ?? false) {
    this.driver = inner.driver;
    this.embedded = inner.embedded;
    this.limits = inner.limits;
    this.mayBeStale = mayBeStale;
    this.mapping = mapping;
    this.inner = inner;
  }

  /** The bytes to store for a value of a new key. */
  protected abstract innerValue(key: string, value: Uint8Array): MaybePromise<Uint8Array>;

  /** The bytes to store for a put of a transaction, whose key may exist. Default: `innerValue`. */
  protected innerOverwrite(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return this.innerValue(key, value);
  }

  /** Passes a compare-and-write of an existing key on to the inner store. `key` is the key of the wrapper. */
  protected abstract innerCompareAndWrite(
    key: string,
    seen: SeenState,
    value: Uint8Array,
    options: WriteOptions | undefined,
  ): Promise<WriteResult>;

  abstract watch(options: WatchOptions, sink: WatchSink): Watch;

  /** Ends the watches. Called once by stop(), when no write is in flight and every other method throws Closed. */
  protected abstract close(inner: Storage): Promise<void>;

  revision(): MaybePromise<Revision> {
    return this.open().revision();
  }

  horizon(): Revision {
    return this.open().horizon();
  }

  oldestRevision(): Revision {
    return this.#embeddedStore().oldestRevision();
  }

  get(key: string, options?: ReadOptions): MaybePromise<GetResult> {
    const inner = this.open();
    checkKey(key);
    return andThen(inner.get(this.mapping.innerKey(key), options), (result) =>
      result.outcome === 'found'
        ? andThen(this.mapping.outerItem(result.item), (item) => ({ ...result, item }))
        : result,
    );
  }

  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult> {
    const inner = this.open();
    checkRange(range);
    return andThen(inner.list(innerRange(this.mapping, range), options), (result) =>
      result.outcome === 'ok' ? outerPage(this.mapping, result) : result,
    );
  }

  create(key: string, value: Uint8Array, options?: CreateOptions): Promise<WriteResult> {
    return this.#write((inner) => {
      checkKey(key);
      const stored = this.innerValue(key, value);
      if (isPromise(stored) || options?.followedBy !== undefined) return this.#createLater(inner, key, stored, options);
      return inner.create(this.mapping.innerKey(key), stored, options).then(this.#outerWrite);
    });
  }

  compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    if (seen === undefined) return this.create(key, value, options);
    return this.#write(() => {
      checkKey(key);
      return this.innerCompareAndWrite(key, seen, value, options).then(this.#outerWrite);
    });
  }

  delete(key: string, options?: { readonly expected?: Revision }): Promise<DeleteResult> {
    return this.#write(async (inner): Promise<DeleteResult> => {
      checkKey(key);
      const result = await inner.delete(this.mapping.innerKey(key), options);
      switch (result.outcome) {
        case 'ok':
          return { ...result, deleted: await this.mapping.outerItem(result.deleted) };
        case 'conflict':
          return { ...result, current: await this.mapping.outerItem(result.current) };
        case 'missing':
          return result;
      }
    });
  }

  transact(transaction: Transaction): Promise<TransactionResult> {
    return this.#write(async (): Promise<TransactionResult> => {
      const inner = this.#embeddedStore();
      checkTransaction(transaction);
      const checks = transaction.checks.map((check) => ({ ...check, key: this.mapping.innerKey(check.key) }));
      const writes = await mapAll(transaction.writes, (write) => this.#innerWrite(write));
      const result = await inner.transact({ checks, writes });
      if (result.outcome === 'ok') return result;
      return { ...result, current: await mapAll(result.current, (item) => outerOptional(this.mapping, item)) };
    });
  }

  get startCompactor(): Storage['startCompactor'] {
    const { inner } = this;
    return inner.startCompactor && ((options) => inner.startCompactor!(options));
  }

  async compact(revision: Revision): Promise<void> {
    await this.open().compact(revision);
  }

  snapshot(): MaybePromise<Snapshot> {
    return andThen(this.#embeddedStore().snapshot(), (inner): MaybePromise<Snapshot> => {
      // stop() was called meanwhile. It did not know this snapshot.
      if (this.#closed) return inner.stop().then(() => Promise.reject(closed()));
      const snapshot = new WrappedSnapshot(inner, this.mapping, (stopped) => this.#snapshots.delete(stopped));
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

  /** The inner store. Throws Closed once stop() was called, even while writes are in flight. */
  protected open(): Storage {
    if (this.#closed) throw closed();
    return this.inner;
  }

  #embeddedStore(): EmbeddedStorage {
    const inner = this.open();
    if (isEmbedded(inner)) return inner;
    throw new BugError(`a ${this.driver} store has no transactions, snapshots or history below its horizon`);
  }

  /** The inner snapshot that a fork starts from. Throws InvalidArgument for a snapshot of another kind of store. */
  protected innerSnapshot(from: Snapshot | undefined): Snapshot | undefined {
    if (from === undefined) return undefined;
    const { name } = this.mapping;
    if (from instanceof WrappedSnapshot && from.mapping.name === name) return from.inner();
    throw new StorageError('InvalidArgument', `a ${name} store forks from snapshots of a ${name} store`);
  }

  async #stop(): Promise<void> {
    this.#closed = true;
    await this.#writes.idle();
    await this.close(this.inner);
    for (const snapshot of [...this.#snapshots]) await snapshot.stop();
  }

  #write<R>(write: (inner: Storage) => Promise<R>): Promise<R> {
    return this.#writes.run(() => write(this.open()));
  }

  async #createLater(
    inner: Storage,
    key: string,
    value: MaybePromise<Uint8Array>,
    options: CreateOptions | undefined,
  ): Promise<WriteResult> {
    const stored = await value;
    const followedBy = options?.followedBy && (await this.innerValue(key, options.followedBy));
    return this.#outerWrite(await inner.create(this.mapping.innerKey(key), stored, { ...options, followedBy }));
  }

  #innerWrite(write: Write): MaybePromise<Write> {
    const key = this.mapping.innerKey(write.key);
    if (write.type === 'delete') return { ...write, key };
    return andThen(this.innerOverwrite(write.key, write.value), (value) => ({ ...write, key, value }));
  }

  readonly #outerWrite = (result: WriteResult): MaybePromise<WriteResult> => {
    if (result.outcome === 'ok') return result;
    return andThen(outerOptional(this.mapping, result.current), (current) => ({ ...result, current }));
  };
}

/** A snapshot of the inner store, seen through the mapping. */
class WrappedSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly mapping: StorageMapping;
  readonly #inner: Snapshot;
  readonly #onStop: (snapshot: WrappedSnapshot) => void;
  #stopped = false;

  constructor(inner: Snapshot, mapping: StorageMapping, onStop: (snapshot: WrappedSnapshot) => void) {
    this.revision = inner.revision;
    this.#inner = inner;
    this.mapping = mapping;
    this.#onStop = onStop;
  }

  /** The snapshot of the inner store. Throws Closed after stop(). */
  inner(): Snapshot {
    if (this.#stopped) throw new StorageError('Closed', 'the snapshot is stopped');
    return this.#inner;
  }

  get(key: string): MaybePromise<KeyValue | undefined> {
    checkKey(key);
    return andThen(this.inner().get(this.mapping.innerKey(key)), (item) => outerOptional(this.mapping, item));
  }

  list(range: KeyRange, options?: { limit?: number }): ReturnType<Snapshot['list']> {
    checkRange(range);
    return andThen(this.inner().list(innerRange(this.mapping, range), options), (page) =>
      outerPage(this.mapping, page),
    );
  }

  stop(): Promise<void> {
    this.#stopped = true;
    this.#onStop(this);
    return this.#inner.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function closed(): StorageError {
  return new StorageError('Closed', 'the store is stopped');
}

/** Maps a range of the wrapper to a range of the inner store. */
export function innerRange({ innerKey }: StorageMapping, { prefix, start }: KeyRange): KeyRange {
  return { prefix: innerKey(prefix), ...(start === undefined ? {} : { start: innerKey(start) }) };
}

/** Maps all elements and returns the results in order. Returns a promise only if a result is a promise. */
export function mapAll<T, R>(list: readonly T[], map: (element: T) => MaybePromise<R>): MaybePromise<R[]> {
  const results = list.map(map);
  return results.some(isPromise) ? Promise.all(results) : (results as R[]);
}

function outerOptional(mapping: StorageMapping, item: KeyValue | undefined): MaybePromise<KeyValue | undefined> {
  return item && mapping.outerItem(item);
}

function outerPage<P extends { readonly items: readonly KeyValue[]; readonly next: string | undefined }>(
  mapping: StorageMapping,
  page: P,
): MaybePromise<P> {
  const next = page.next === undefined ? undefined : mapping.outerKey(page.next);
  return andThen(
    mapAll(page.items, (item) => mapping.outerItem(item)),
    (items) => ({ ...page, items, next }),
  );
}
