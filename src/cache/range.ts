/** Ranges of a cache, and an index from keys to the ranges that contain them. */

import { StorageError } from '../storage/errors.ts';
import { prefixEnd } from '../storage/keys.ts';
import type { CacheRange } from './cache.ts';

const SLASH = 0x2f;

/** Throws InvalidArgument unless a prefix is empty or ends with `/`. */
export function checkRange(range: CacheRange): void {
  if ('prefix' in range && range.prefix !== '' && !range.prefix.endsWith('/')) {
    throw new StorageError(
      'InvalidArgument',
      `prefix ${JSON.stringify(range.prefix)} does not end at a segment boundary`,
    );
  }
}

export function inRange(range: CacheRange, key: string): boolean {
  return 'key' in range ? range.key === key : key.startsWith(range.prefix);
}

/**
 * Returns the bounds of the keys of a range at or above `from`: `start` is inclusive, `end` exclusive (undefined: no
 * end).
 */
export function boundsOf(
  range: CacheRange,
  from?: string,
): { readonly start: string; readonly end: string | undefined } {
  // Keys contain no zero byte, so no key lies between a key and the same key with a zero byte appended.
  const start = 'key' in range ? range.key : range.prefix;
  const end = 'key' in range ? `${range.key}\u0000` : prefixEnd(range.prefix);
  return { start: from !== undefined && from > start ? from : start, end };
}

/** Returns a text that identifies the range, for use as a map key. */
export function rangeText(range: CacheRange): string {
  return 'key' in range ? `=${range.key}` : `/${range.prefix}`;
}

/**
 * An index of values by range.
 * Invariant: a lookup costs one map lookup per prefix length in use, plus one. The cost does not depend on the number
 * of ranges: a thousand watchers of single objects do not cost every event a thousand comparisons.
 */
export class RangeIndex<T> {
  readonly #byKey = new Map<string, T[]>();
  readonly #byPrefix = new Map<string, T[]>();
  /** How many prefixes there are of each length. */
  readonly #lengths = new Map<number, number>();
  #sortedLengths: readonly number[] = [];

  add(range: CacheRange, value: T): void {
    if ('key' in range) {
      append(this.#byKey, range.key, value);
      return;
    }
    const { prefix } = range;
    if (append(this.#byPrefix, prefix, value)) this.#count(prefix.length, 1);
  }

  remove(range: CacheRange, value: T): void {
    if ('key' in range) withdraw(this.#byKey, range.key, value);
    else if (withdraw(this.#byPrefix, range.prefix, value)) this.#count(range.prefix.length, -1);
  }

  /** Calls back for every value whose range contains the key. The callback must not add or remove values. */
  forEach(key: string, callback: (value: T) => void): void {
    for (const length of this.#sortedLengths) {
      if (length > key.length) break;
      if (length > 0 && key.charCodeAt(length - 1) !== SLASH) continue;
      const values = this.#byPrefix.get(length === 0 ? '' : key.slice(0, length));
      if (values !== undefined) for (const value of values) callback(value);
    }
    const values = this.#byKey.size === 0 ? undefined : this.#byKey.get(key);
    if (values !== undefined) for (const value of values) callback(value);
  }

  #count(length: number, by: number): void {
    const count = (this.#lengths.get(length) ?? 0) + by;
    if (count === 0) this.#lengths.delete(length);
    else this.#lengths.set(length, count);
    this.#sortedLengths = [...this.#lengths.keys()].sort((a, b) => a - b);
  }
}

/** Returns true if the list is new. */
function append<T>(lists: Map<string, T[]>, at: string, value: T): boolean {
  const list = lists.get(at);
  if (list !== undefined) {
    list.push(value);
    return false;
  }
  lists.set(at, [value]);
  return true;
}

/** Returns true if the list is now empty. */
function withdraw<T>(lists: Map<string, T[]>, at: string, value: T): boolean {
  const list = lists.get(at);
  const index = list?.indexOf(value) ?? -1;
  if (list === undefined || index < 0) return false;
  list.splice(index, 1);
  if (list.length > 0) return false;
  lists.delete(at);
  return true;
}
