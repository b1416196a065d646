/**
 * The expiry times of keys.
 * Invariant: a key has one entry in both maps or in neither.
 */
import { OrderedMap } from '../../base/ordered-map.ts';

export class Deadlines {
  #byKey: OrderedMap<string, number> = new OrderedMap();
  /** Keyed by `timeKey`, so that the first entry expires first. The values are the keys. */
  #byTime: OrderedMap<string, string> = new OrderedMap();

  /** Returns an independent copy in O(1). */
  clone(): Deadlines {
    const copy = new Deadlines();
    copy.#byKey = this.#byKey.clone();
    copy.#byTime = this.#byTime.clone();
    return copy;
  }

  has(key: string): boolean {
    return this.#byKey.get(key) !== undefined;
  }

  /** Sets the deadline of a key, an integer; undefined removes it. Deadlines beyond the safe integers come last. */
  set(key: string, due: number | undefined): void {
    const before = this.#byKey.delete(key);
    if (before !== undefined) this.#byTime.delete(timeKey(before, key));
    if (due === undefined) return;
    const at = Math.min(due, Number.MAX_SAFE_INTEGER);
    this.#byKey.set(key, at);
    this.#byTime.set(timeKey(at, key), key);
  }

  /** The earliest deadline. */
  next(): { readonly key: string; readonly due: number } | undefined {
    const key = this.#byTime.at(0)?.value;
    return key === undefined ? undefined : { key, due: this.#byKey.get(key)! };
  }
}

// Safe integers have at most 16 digits, so padded numbers sort as strings in the order of numbers.
function timeKey(due: number, key: string): string {
  return `${String(due).padStart(16, '0')} ${key}`;
}
