/** When keys expire. Invariant: a key has one entry in each of the two maps, or none in either. */
import { OrderedMap } from '../../base/ordered-map.ts';

export class Deadlines {
  #byKey: OrderedMap<string, number> = new OrderedMap();
  /** Keyed by time and key, so that the first entry is the next to fall due. */
  #byTime: OrderedMap<string, string> = new OrderedMap();

  /** O(1). */
  clone(): Deadlines {
    const copy = new Deadlines();
    copy.#byKey = this.#byKey.clone();
    copy.#byTime = this.#byTime.clone();
    return copy;
  }

  has(key: string): boolean {
    return this.#byKey.get(key) !== undefined;
  }

  /** Replaces the key's deadline; undefined takes it away. */
  set(key: string, due: number | undefined): void {
    const before = this.#byKey.delete(key);
    if (before !== undefined) this.#byTime.delete(timeKey(before, key));
    if (due === undefined) return;
    this.#byKey.set(key, due);
    this.#byTime.set(timeKey(due, key), key);
  }

  /** The deadline that falls due first. */
  next(): { readonly key: string; readonly due: number } | undefined {
    const key = this.#byTime.at(0)?.value;
    return key === undefined ? undefined : { key, due: this.#byKey.get(key)! };
  }
}

// Whole milliseconds of any date that a Date can hold have at most 16 digits.
function timeKey(due: number, key: string): string {
  return `${String(due).padStart(16, '0')} ${key}`;
}
