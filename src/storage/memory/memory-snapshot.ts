/** A snapshot of a memory store: a copy of its state, which keeps the values alive until it is stopped. */
import { checkRange } from '../checks.ts';
import type { Snapshot } from '../embedded-storage.ts';
import { StorageError } from '../errors.ts';
import { checkKey, type KeyRange, prefixEnd } from '../keys.ts';
import type { KeyValue, Revision } from '../storage.ts';
import type { MemoryState } from './memory-state.ts';

export class MemorySnapshot implements Snapshot {
  readonly revision: Revision;
  #state: MemoryState | undefined;
  readonly #onStop: (snapshot: MemorySnapshot) => void;

  /** Takes ownership of `state`; the caller must not change it afterwards. */
  constructor(state: MemoryState, onStop: (snapshot: MemorySnapshot) => void) {
    this.revision = state.revision;
    this.#state = state;
    this.#onStop = onStop;
  }

  /** The state that a fork starts from. Throws Closed after stop(). */
  state(): MemoryState {
    if (this.#state === undefined) throw new StorageError('Closed', 'the snapshot is stopped');
    return this.#state;
  }

  get(key: string): KeyValue | undefined {
    checkKey(key);
    return this.state().items.get(key);
  }

  list(
    range: KeyRange,
    options: { limit?: number } = {},
  ): { items: readonly KeyValue[]; next: string | undefined; remaining: number } {
    checkRange(range);
    const { start, end } = bounds(range);
    const { values, next, remaining } = this.state().items.page(start, end, options.limit);
    return { items: values, next, remaining };
  }

  stop(): Promise<void> {
    if (this.#state !== undefined) this.#onStop(this);
    this.#state = undefined;
    return STOPPED;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

const STOPPED: Promise<void> = Promise.resolve();

/** Returns the range as a half-open interval of keys. Undefined: no bound. */
export function bounds(range: KeyRange): { start: string | undefined; end: string | undefined } {
  const { prefix, start } = range;
  return {
    start: start !== undefined && start > prefix ? start : prefix === '' ? undefined : prefix,
    end: prefixEnd(prefix),
  };
}
