/** An immutable state of a memory store. It holds what it shows, however much the store forgets, until it is stopped. */
import { checkRange } from '../checks.ts';
import { StorageError } from '../errors.ts';
import { checkKey, type KeyRange, prefixEnd } from '../keys.ts';
import type { KeyValue, Revision, Snapshot } from '../storage.ts';
import type { World } from './world.ts';

export class MemorySnapshot implements Snapshot {
  readonly revision: Revision;
  #world: World | undefined;
  readonly #onStop: (snapshot: MemorySnapshot) => void;

  /** Takes over `world`, which nobody else changes. */
  constructor(world: World, onStop: (snapshot: MemorySnapshot) => void) {
    this.revision = world.revision;
    this.#world = world;
    this.#onStop = onStop;
  }

  /** What a fork starts from. Throws Closed after stop(). */
  world(): World {
    if (this.#world === undefined) throw new StorageError('Closed', 'the snapshot is stopped');
    return this.#world;
  }

  get(key: string): KeyValue | undefined {
    checkKey(key);
    return this.world().items.get(key);
  }

  list(
    range: KeyRange,
    options: { limit?: number } = {},
  ): { items: readonly KeyValue[]; next: string | undefined; remaining: number } {
    checkRange(range);
    const { start, end } = bounds(range);
    const { values, next, remaining } = this.world().items.page(start, end, options.limit);
    return { items: values, next, remaining };
  }

  stop(): Promise<void> {
    if (this.#world !== undefined) this.#onStop(this);
    this.#world = undefined;
    return STOPPED;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

const STOPPED: Promise<void> = Promise.resolve();

/** The keys of a range as [start, end). */
export function bounds(range: KeyRange): { start: string | undefined; end: string | undefined } {
  const { prefix, start } = range;
  return {
    start: start !== undefined && start > prefix ? start : prefix === '' ? undefined : prefix,
    end: prefixEnd(prefix),
  };
}
