/** A snapshot of the LMDB store. It pins its revision, so that the pruner keeps the records of that state. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { checkLimit, checkRange } from '../checks.ts';
import type { Snapshot } from '../embedded-storage.ts';
import { StorageError } from '../errors.ts';
import { checkKey, type KeyRange } from '../keys.ts';
import type { KeyValue, Revision } from '../storage.ts';
import type { Page, StateReader } from './state-reader.ts';

export class LmdbSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly #states: StateReader;
  readonly #pin: () => () => void;
  readonly #unpin: () => void;
  readonly #checkStore: () => void;
  #stopped = false;

  constructor(revision: Revision, states: StateReader, pin: () => () => void, checkStore: () => void) {
    this.revision = revision;
    this.#states = states;
    this.#pin = pin;
    this.#unpin = pin();
    this.#checkStore = checkStore;
  }

  get(key: string): KeyValue | undefined {
    this.#check();
    checkKey(key);
    return this.#states.get(key, this.revision);
  }

  list(range: KeyRange, options: { limit?: number } = {}): MaybePromise<Page> {
    this.#check();
    checkRange(range);
    checkLimit(options.limit);
    // A long list is read in slices. The list has its own pin, so that it can finish if the snapshot is stopped
    // meanwhile.
    const unpin = this.#pin();
    const page = this.#states.page({ range, revision: this.revision, limit: options.limit ?? 0, countOnly: false });
    if (page instanceof Promise) return page.finally(unpin);
    unpin();
    return page;
  }

  stop(): Promise<void> {
    this.#stopped = true;
    this.#unpin();
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #check(): void {
    this.#checkStore();
    if (this.#stopped) throw new StorageError('Closed', 'the snapshot is stopped');
  }
}
