/**
 * A store whose values pass a transformer on their way in and out.
 * Invariant: a write is a no-op only if the stored bytes would be equal, so never for a value that is stored in an
 * outdated form. Everything else is as in the inner store.
 */
import { equalBytes } from '../base/bytes.ts';
import { isKeelsonError } from '../base/errors.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { StorageError } from './errors.ts';
import {
  type ForkableStorage,
  isForkable,
  type KeyValue,
  type Snapshot,
  type Storage,
  type StorageEvent,
  type Watch,
  type WatchOptions,
  type WatchSink,
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
 * Takes ownership of `storage`: stop() stops it too. The limits on sizes hold for the plain values, and those of
 * `storage` for the transformed ones.
 *
 * Every write except `create` reads the key first. If the value of the key becomes equal to the new one only while the
 * write is in flight, and the transformer is not deterministic, then the write is a change and not a no-op.
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

/** The transformer, applied to items and events. */
class TransformedValues implements StorageMapping {
  readonly name = 'transformed';
  readonly #transformer: ValueTransformer;

  constructor(transformer: ValueTransformer) {
    this.#transformer = transformer;
  }

  readonly innerKey = (key: string): string => key;
  readonly outerKey = (key: string): string => key;

  outerItem(item: KeyValue): MaybePromise<KeyValue> {
    return andThen(this.fromStorage(item.key, item.value), ({ value, stale }) => ({
      key: item.key,
      value,
      revision: item.revision,
      created: item.created,
      ...(stale ? { stale } : {}),
    }));
  }

  outerEvent(event: StorageEvent): MaybePromise<StorageEvent> {
    return andThen(event.previous && this.outerItem(event.previous), (previous): MaybePromise<StorageEvent> => {
      if (event.type === 'delete') return { ...event, previous: previous! };
      return andThen(this.fromStorage(event.key, event.value), ({ value, stale }) => ({
        ...event,
        value,
        previous,
        ...(stale ? { stale } : {}),
      }));
    });
  }

  fromStorage(key: string, stored: Uint8Array): MaybePromise<FromStorage> {
    const fail = (caught: unknown): never => {
      if (isKeelsonError(caught)) throw caught;
      const message = `the value of ${JSON.stringify(key)} cannot be understood`;
      throw new StorageError('Corrupt', message, { cause: caught, key });
    };
    try {
      const plain = this.#transformer.fromStorage(stored, { key });
      return isPromise(plain) ? plain.catch(fail) : plain;
    } catch (caught) {
      return fail(caught);
    }
  }

  toStorage(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    return this.#transformer.toStorage(value, { key });
  }
}

class TransformedStorage extends WrappedStorage {
  protected readonly values: TransformedValues;
  protected readonly maxWaitingEvents: number;
  readonly #watches = new Set<TransformedWatch>();

  constructor(inner: Storage, values: TransformedValues, maxWaitingEvents: number) {
    super(inner, values);
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

  /**
   * For an existing key whose value is equal and not stale, this is the very bytes that are stored, so that the inner
   * store sees a no-op even if the transformer would make other bytes now.
   */
  protected innerValue(key: string, value: Uint8Array, isNew: boolean): MaybePromise<Uint8Array> {
    if (isNew) return this.values.toStorage(key, value);
    return andThen(this.inner.get(key), (result) => {
      if (result.outcome !== 'found') return this.values.toStorage(key, value);
      const stored = result.item.value;
      return andThen(this.values.fromStorage(key, stored), (plain) =>
        !plain.stale && equalBytes(plain.value, value) ? stored : this.values.toStorage(key, value),
      );
    });
  }

  protected async close(inner: Storage): Promise<void> {
    await inner.stop();
    await Promise.all([...this.#watches].map((watch) => watch.ended));
  }
}

class ForkableTransformedStorage extends TransformedStorage implements ForkableStorage {
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
