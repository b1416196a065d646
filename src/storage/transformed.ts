/**
 * A store whose values pass a transformer on their way in and out.
 * Invariant: a write is a no-op only if the stored bytes would be equal: never for a value that is stored in an outdated form. Everything
 * else is as the inner store does it.
 */
import { equalBytes } from '../base/bytes.ts';
import { isKeelsonError } from '../base/errors.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { checkFollowing, checkTransaction, checkValue } from './checks.ts';
import { StorageError } from './errors.ts';
import { checkKey, type KeyRange } from './keys.ts';
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
  type StorageEvent,
  type Transaction,
  type TransactionResult,
  type Watch,
  type WatchOptions,
  type WatchSink,
  type Write,
  type WriteOptions,
  type WriteResult,
} from './storage.ts';
import { TransformedWatch } from './transformed-watch.ts';
import type { FromStorage, ValueTransformer } from './value-transformer.ts';

export interface TransformedOptions {
  /** Events that may wait for an asynchronous transformer, per watch, before the watch ends as `failed`. Default 10,000. */
  readonly maxWaitingEvents?: number;
}

/**
 * Takes over `storage`: stop() stops it too. Values grow or shrink by what the transformer does, and the inner limits hold for the
 * result. Each write but create reads the key first: a put whose value becomes equal to the key's only while it is under way is a change,
 * not a no-op, if the transformer makes other bytes each time. What the transformer throws, if it is not one of our errors, becomes Corrupt.
 */
export function transformed(
  storage: ForkableStorage,
  transformer: ValueTransformer,
  options?: TransformedOptions,
): ForkableStorage;
export function transformed(storage: Storage, transformer: ValueTransformer, options?: TransformedOptions): Storage;
export function transformed(
  storage: Storage,
  transformer: ValueTransformer,
  options: TransformedOptions = {},
): Storage {
  const values = new Values(transformer);
  const maxWaitingEvents = options.maxWaitingEvents ?? 10_000;
  return isForkable(storage)
    ? new ForkableTransformedStorage(storage, values, maxWaitingEvents)
    : new TransformedStorage(storage, values, maxWaitingEvents);
}

/** The transformer, applied to what stores hand out. */
class Values {
  readonly #transformer: ValueTransformer;

  constructor(transformer: ValueTransformer) {
    this.#transformer = transformer;
  }

  item(item: KeyValue): MaybePromise<KeyValue> {
    return andThen(this.open(item.key, item.value), ({ value, stale }) => ({
      key: item.key,
      value,
      revision: item.revision,
      created: item.created,
      ...(stale ? { stale } : {}),
    }));
  }

  optional(item: KeyValue | undefined): MaybePromise<KeyValue | undefined> {
    return item && this.item(item);
  }

  event(event: StorageEvent): MaybePromise<StorageEvent> {
    return andThen(this.optional(event.previous), (previous): MaybePromise<StorageEvent> => {
      if (event.type === 'delete') return { ...event, previous: previous! };
      return andThen(this.open(event.key, event.value), ({ value, stale }) => ({
        ...event,
        value,
        previous,
        ...(stale ? { stale } : {}),
      }));
    });
  }

  open(key: string, stored: Uint8Array): MaybePromise<FromStorage> {
    const failed = (caught: unknown): never => {
      if (isKeelsonError(caught)) throw caught;
      throw new StorageError('Corrupt', `the value of ${JSON.stringify(key)} cannot be understood`, {
        cause: caught,
        key,
      });
    };
    try {
      const opened = this.#transformer.fromStorage(stored, { key });
      return isPromise(opened) ? opened.catch(failed) : opened;
    } catch (caught) {
      return failed(caught);
    }
  }

  seal(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return this.#transformer.toStorage(value, { key });
  }
}

class TransformedStorage implements Storage {
  readonly driver: string;
  protected readonly values: Values;
  protected readonly maxWaitingEvents: number;
  readonly #inner: Storage;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #watches = new Set<TransformedWatch>();
  #closed = false;
  #stopping: Promise<void> | undefined;

  constructor(inner: Storage, values: Values, maxWaitingEvents: number) {
    this.driver = inner.driver;
    this.#inner = inner;
    this.values = values;
    this.maxWaitingEvents = maxWaitingEvents;
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
    return andThen(this.open().get(key, options), (result) =>
      result.outcome === 'found' ? andThen(this.values.item(result.item), (item) => ({ ...result, item })) : result,
    );
  }

  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult> {
    return andThen(this.open().list(range, options), (result) =>
      result.outcome === 'ok'
        ? andThen(
            mapAll(result.items, (item) => this.values.item(item)),
            (items) => ({ ...result, items }),
          )
        : result,
    );
  }

  create(key: string, value: Uint8Array, options: CreateOptions = {}): Promise<WriteResult> {
    return this.#write(async (inner) => {
      checkKey(key);
      checkValue(key, value);
      const { followedBy, ttlMs } = options;
      checkFollowing(key, followedBy, ttlMs);
      const stored = await this.values.seal(key, value);
      const next = followedBy === undefined ? undefined : await this.values.seal(key, followedBy);
      return this.#openWrite(await inner.create(key, stored, { ...options, followedBy: next }));
    });
  }

  compareAndWrite(key: string, expected: Revision, value: Uint8Array, options?: WriteOptions): Promise<WriteResult> {
    return this.#write(async (inner) => {
      checkKey(key);
      checkValue(key, value);
      const stored = await (expected === 0 ? this.values.seal(key, value) : this.#sealOver(key, value));
      return this.#openWrite(await inner.compareAndWrite(key, expected, stored, options));
    });
  }

  delete(key: string, options?: { readonly expected?: Revision }): Promise<DeleteResult> {
    return this.#write(async (inner): Promise<DeleteResult> => {
      const result = await inner.delete(key, options);
      switch (result.outcome) {
        case 'ok':
          return { ...result, deleted: await this.values.item(result.deleted) };
        case 'conflict':
          return { ...result, current: await this.values.item(result.current) };
        case 'missing':
          return result;
      }
    });
  }

  transact(transaction: Transaction): Promise<TransactionResult> {
    return this.#write(async (inner): Promise<TransactionResult> => {
      checkTransaction(transaction);
      const writes = await mapAll(
        transaction.writes,
        (write): MaybePromise<Write> =>
          write.type === 'delete'
            ? write
            : andThen(this.#sealOver(write.key, write.value), (value) => ({ ...write, value })),
      );
      const result = await inner.transact({ checks: transaction.checks, writes });
      return result.outcome === 'ok'
        ? result
        : { ...result, current: await mapAll(result.current, (item) => this.values.optional(item)) };
    });
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    const inner = this.open();
    const watch = new TransformedWatch(sink, {
      maxWaitingEvents: this.maxWaitingEvents,
      decode: (events) => mapAll(events, (event) => this.values.event(event)),
      onEnd: (ended) => this.#watches.delete(ended),
    });
    watch.start((innerSink) => inner.watch(options, innerSink));
    this.#watches.add(watch);
    return watch;
  }

  async compact(revision: Revision): Promise<void> {
    await this.open().compact(revision);
  }

  snapshot(): MaybePromise<Snapshot> {
    return andThen(this.open().snapshot(), (inner) => new TransformedSnapshot(inner, this.values));
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
    await this.#inner.stop();
    await Promise.all([...this.#watches].map((watch) => watch.ended));
  }

  /** The inner store; throws Closed once stop() was called, even while writes are still under way. */
  protected open(): Storage {
    if (this.#closed) throw new StorageError('Closed', 'the store is stopped');
    return this.#inner;
  }

  /**
   * The bytes to store over what the key holds. For an equal value that is not stale they are the very bytes that are there, so that the
   * inner store sees a no-op, even if sealing again would make other bytes.
   */
  #sealOver(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return andThen(this.#inner.get(key), (result) => {
      if (result.outcome !== 'found') return this.values.seal(key, value);
      const stored = result.item.value;
      return andThen(this.values.open(key, stored), (opened) =>
        !opened.stale && equalBytes(opened.value, value) ? stored : this.values.seal(key, value),
      );
    });
  }

  async #openWrite(result: WriteResult): Promise<WriteResult> {
    return result.outcome === 'conflict' ? { ...result, current: await this.values.optional(result.current) } : result;
  }

  #write<R>(write: (inner: Storage) => Promise<R>): Promise<R> {
    const result = (async () => write(this.open()))();
    this.#writes.add(result);
    const done = (): void => void this.#writes.delete(result);
    result.then(done, done);
    return result;
  }
}

class ForkableTransformedStorage extends TransformedStorage implements ForkableStorage {
  readonly #forkable: ForkableStorage;

  constructor(inner: ForkableStorage, values: Values, maxWaitingEvents: number) {
    super(inner, values, maxWaitingEvents);
    this.#forkable = inner;
  }

  fork(from?: Snapshot): ForkableStorage {
    this.open();
    if (from !== undefined && !(from instanceof TransformedSnapshot))
      throw new StorageError('InvalidArgument', 'a transformed store forks from snapshots of a transformed store');
    return new ForkableTransformedStorage(this.#forkable.fork(from?.inner), this.values, this.maxWaitingEvents);
  }
}

class TransformedSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly inner: Snapshot;
  readonly #values: Values;

  constructor(inner: Snapshot, values: Values) {
    this.revision = inner.revision;
    this.inner = inner;
    this.#values = values;
  }

  get(key: string): MaybePromise<KeyValue | undefined> {
    return andThen(this.inner.get(key), (item) => this.#values.optional(item));
  }

  list(
    range: KeyRange,
    options?: { limit?: number },
  ): MaybePromise<{ items: readonly KeyValue[]; next: string | undefined; remaining: number }> {
    return andThen(this.inner.list(range, options), ({ items, next, remaining }) =>
      andThen(
        mapAll(items, (item) => this.#values.item(item)),
        (opened) => ({ items: opened, next, remaining }),
      ),
    );
  }

  stop(): Promise<void> {
    return this.inner.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** All results in order: at once if none is a promise. */
function mapAll<T, R>(list: readonly T[], map: (element: T) => MaybePromise<R>): MaybePromise<R[]> {
  const results = list.map(map);
  return results.some(isPromise) ? Promise.all(results) : (results as R[]);
}
