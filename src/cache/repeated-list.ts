/**
 * Keeps the last list of a cache, for clients that list again before the state has changed. A repeated list has the
 * same array of items, so that callers can reuse data that they have derived from the array.
 * Invariants: the kept list has the items of the current state. A list that is not used between two ticks is dropped.
 */
import type { CacheList, CacheListOptions, CacheRange } from './cache.ts';
import { boundsOf } from './range.ts';

interface Kept {
  readonly start: string;
  readonly end: string | undefined;
  readonly limit: number;
  readonly list: CacheList;
}

export class RepeatedList {
  #kept: Kept | undefined;
  #used = false;

  /**
   * Returns the kept list if it was made for this range and these options. Its `revision` may be older than that of the
   * state.
   */
  get(range: CacheRange, options: CacheListOptions): CacheList | undefined {
    const kept = this.#kept;
    if (kept === undefined || !isPlain(options) || kept.limit !== (options.limit ?? 0)) return undefined;
    const { start, end } = boundsOf(range, options.start);
    if (kept.start !== start || kept.end !== end) return undefined;
    this.#used = true;
    return kept.list;
  }

  /** Keeps a list of the current state instead of the previous one. Lists with a filter or a form are not kept. */
  put(range: CacheRange, options: CacheListOptions, list: CacheList): void {
    if (!isPlain(options)) return;
    this.#kept = { ...boundsOf(range, options.start), limit: options.limit ?? 0, list };
    this.#used = true;
  }

  /** Called when the state changes. */
  clear(): void {
    this.#kept = undefined;
  }

  tick(): void {
    if (!this.#used) this.#kept = undefined;
    this.#used = false;
  }
}

function isPlain({ filter, form }: CacheListOptions): boolean {
  return filter === undefined && form === undefined;
}
