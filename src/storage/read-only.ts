/** A wrapper that makes a store read-only, for servers on a backup. */

import type { MaybePromise } from '../base/maybe-promise.ts';
import { StorageError } from './errors.ts';
import type { KeyRange } from './keys.ts';
import type {
  DeleteResult,
  GetResult,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
  Storage,
  StorageLimits,
  Watch,
  WatchOptions,
  WatchSink,
  WriteResult,
} from './storage.ts';

/**
 * Takes ownership of `storage`: stop() stops it too. Every write rejects with StorageError(ReadOnly) and the message
 * `reason`, before its arguments are checked. `compact` does nothing: a store that does not change has no history to
 * drop.
 */
export function readOnly(storage: Storage, reason: string): Storage {
  return new ReadOnlyStorage(storage, reason);
}

class ReadOnlyStorage implements Storage {
  readonly driver: string;
  /** False even if `storage` is embedded: the wrapper has no transactions, snapshots or forks. */
  readonly embedded = false;
  readonly limits: StorageLimits;
  readonly #inner: Storage;
  readonly #reason: string;

  constructor(inner: Storage, reason: string) {
    this.driver = inner.driver;
    this.limits = inner.limits;
    this.#inner = inner;
    this.#reason = reason;
  }

  revision(): MaybePromise<Revision> {
    return this.#inner.revision();
  }

  horizon(): Revision {
    return this.#inner.horizon();
  }

  get(key: string, options?: ReadOptions): MaybePromise<GetResult> {
    return this.#inner.get(key, options);
  }

  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult> {
    return this.#inner.list(range, options);
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    return this.#inner.watch(options, sink);
  }

  create(): Promise<WriteResult> {
    return this.#refuse();
  }

  compareAndWrite(): Promise<WriteResult> {
    return this.#refuse();
  }

  delete(): Promise<DeleteResult> {
    return this.#refuse();
  }

  async compact(): Promise<void> {}

  stop(): Promise<void> {
    return this.#inner.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #refuse(): Promise<never> {
    return Promise.reject(new StorageError('ReadOnly', this.#reason));
  }
}
