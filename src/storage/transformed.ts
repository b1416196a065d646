/**
 * A store whose values are converted by a transformer when they are written and when they are read.
 * Invariant: a write is a no-op only if it would not change the stored bytes, so never for a value that is stored in an
 * outdated form.
 */
import { equalBytes } from '../base/bytes.ts';
import { isKeelsonError } from '../base/errors.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { type ForkableStorage, isForkable, type Snapshot } from './embedded-storage.ts';
import { StorageError } from './errors.ts';
import type {
  KeyValue,
  PutEvent,
  SeenState,
  Storage,
  StorageEvent,
  Watch,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from './storage.ts';
import { TransformedWatch } from './transformed-watch.ts';
import type { FromStorage, ValueTransformer } from './value-transformer.ts';
import { mapAll, type StorageMapping, WrappedStorage } from './wrapped-storage.ts';

export interface TransformedOptions {
  /**
   * How many events of one watch may wait for an asynchronous transformer. One more ends the watch `failed`. Default
   * 10,000.
   */
  readonly maxWaitingEvents?: number;
}

const DEFAULT_WAITING_EVENTS = 10_000;

/**
 * Takes ownership of `storage`: stop() stops it too. The limits of `storage` hold for the transformed values.
 *
 * A compare-and-write whose value equals the bytes that the caller has seen reads the key first, because the value may
 * be stored in an outdated form. Each put of a transaction also reads its key first. If another writer stores the same
 * value between this read and the commit, and the transformer is not deterministic, then the put is a change and not a
 * no-op.
 *
 * An error that the transformer throws becomes StorageError(Corrupt), unless it is one of this package's errors.
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
  const values = new TransformedValues(transformer);
  const maxWaitingEvents = options.maxWaitingEvents ?? DEFAULT_WAITING_EVENTS;
  return isForkable(storage)
    ? new ForkableTransformedStorage(storage, values, maxWaitingEvents)
    : new TransformedStorage(storage, values, maxWaitingEvents);
}

/** Applies the transformer to items and events. */
class TransformedValues implements StorageMapping {
  readonly name = 'transformed';
  readonly #transformer: ValueTransformer;

  constructor(transformer: ValueTransformer) {
    this.#transformer = transformer;
  }

  get mayBeStale(): boolean {
    return this.#transformer.mayBeStale !== false;
  }

  readonly innerKey = (key: string): string => key;
  readonly outerKey = (key: string): string => key;

  outerItem(item: KeyValue): MaybePromise<KeyValue> {
    return andThen(this.fromStorage(item.key, item.value), ({ value, stale }) => ({
      key: item.key,
      value,
      revision: item.revision,
      created: item.created,
      ...(stale || item.stale === true ? { stale: true } : {}),
    }));
  }

  outerEvent(event: StorageEvent): MaybePromise<StorageEvent> {
    if (event.previous !== undefined)
      return andThen(this.outerItem(event.previous), (previous) => this.#outerEvent(event, previous));
    return this.#outerEvent(event, undefined);
  }

  #outerEvent(event: StorageEvent, previous: KeyValue | undefined): MaybePromise<StorageEvent> {
    if (event.type === 'delete') return { ...event, previous };
    const plain = this.fromStorage(event.key, event.value);
    return isPromise(plain)
      ? plain.then((decoded) => plainPut(event, previous, decoded))
      : plainPut(event, previous, plain);
  }

  fromStorage(key: string, stored: Uint8Array): MaybePromise<FromStorage> {
    try {
      const plain = this.#transformer.fromStorage(stored, { key });
      return isPromise(plain) ? plain.catch((caught: unknown) => notUnderstood(key, caught)) : plain;
    } catch (caught) {
      return notUnderstood(key, caught);
    }
  }

  toStorage(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return this.#transformer.toStorage(value, { key });
  }
}

function plainPut(event: PutEvent, previous: KeyValue | undefined, { value, stale, isOwn }: FromStorage): PutEvent {
  const { key, revision, created } = event;
  const made: PutEvent = { type: 'put', key, value, revision, created, previous, isOwn };
  return stale || event.stale === true ? { ...made, stale: true } : made;
}

function notUnderstood(key: string, caught: unknown): never {
  if (isKeelsonError(caught)) throw caught;
  const message = `the value of ${JSON.stringify(key)} cannot be understood`;
  throw new StorageError('Corrupt', message, { cause: caught, key });
}

class TransformedStorage extends WrappedStorage {
  protected readonly values: TransformedValues;
  protected readonly maxWaitingEvents: number;
  readonly #watches = new Set<TransformedWatch>();

  constructor(inner: Storage, values: TransformedValues, maxWaitingEvents: number) {
    super(inner, values, values.mayBeStale || inner.mayBeStale === true);
    this.values = values;
    this.maxWaitingEvents = maxWaitingEvents;
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    const inner = this.open();
    const watch = new TransformedWatch(sink, {
      maxWaitingEvents: this.maxWaitingEvents,
      decode: (events) => mapAll(events, (event) => this.values.outerEvent(event)),
      onEnd: (ended) => this.#watches.delete(ended),
    });
    watch.start((innerSink) => inner.watch(options, innerSink));
    this.#watches.add(watch);
    return watch;
  }

  protected innerValue(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return this.values.toStorage(key, value);
  }

  protected override innerOverwrite(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return andThen(this.inner.get(key), (result) =>
      result.outcome === 'found' ? this.#overStored(result.item, value) : this.values.toStorage(key, value),
    );
  }

  /** Reads the inner store only if the write may be a no-op: the stored bytes then decide. */
  protected async innerCompareAndWrite(
    key: string,
    seen: SeenState,
    value: Uint8Array,
    options: WriteOptions | undefined,
  ): Promise<WriteResult> {
    if (!seen.stale && options?.ttlMs === undefined && equalBytes(seen.value, value)) {
      const result = await this.inner.get(key);
      if (result.outcome === 'found' && result.item.revision === seen.revision)
        return this.inner.compareAndWrite(key, result.item, await this.#overStored(result.item, value), options);
    }
    // The stored bytes of `seen` are not known here. `stale` tells the inner store not to compare with `seen.value`.
    const unlike = { revision: seen.revision, value: seen.value, stale: true };
    return this.inner.compareAndWrite(key, unlike, await this.values.toStorage(key, value), options);
  }

  /**
   * Returns the bytes to write over a stored item. If the stored value is equal and not stale, these are the stored
   * bytes themselves: the inner store then detects a no-op even if the transformer is not deterministic.
   */
  #overStored({ key, value: stored }: KeyValue, value: Uint8Array): MaybePromise<Uint8Array> {
    return andThen(this.values.fromStorage(key, stored), (plain) =>
      !plain.stale && equalBytes(plain.value, value) ? stored : this.values.toStorage(key, value),
    );
  }

  protected async close(inner: Storage): Promise<void> {
    await inner.stop();
    await Promise.all([...this.#watches].map((watch) => watch.ended));
  }
}

class ForkableTransformedStorage extends TransformedStorage implements ForkableStorage {
  override readonly embedded = true;
  readonly #forkable: ForkableStorage;

  constructor(inner: ForkableStorage, values: TransformedValues, maxWaitingEvents: number) {
    super(inner, values, maxWaitingEvents);
    this.#forkable = inner;
  }

  fork(from?: Snapshot): ForkableStorage {
    this.open();
    const inner = this.#forkable.fork(this.innerSnapshot(from));
    return new ForkableTransformedStorage(inner, this.values, this.maxWaitingEvents);
  }
}
