/**
 * A map that keeps the most recently used entries.
 * Invariant: it never has more than `limit` entries. The inner Map holds places, which are indexes of arrays, instead
 * of values: a Map promotes its values to V8's old generation (docs/decisions/0045-garbage-in-the-young-generation.md).
 */
const NONE = -1;

export class LruMap<K, V> {
  readonly #limit: number;
  readonly #places = new Map<K, number>();
  /** The key at each place. The arrays below are indexed by place, too. */
  readonly #keys: (K | undefined)[] = [];
  readonly #values: (V | undefined)[] = [];
  /** Links the places in the order of use. For a free place, `#older` is the next free place. */
  readonly #older: number[] = [];
  readonly #newer: number[] = [];
  #oldest = NONE;
  #newest = NONE;
  #free = NONE;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#places.size;
  }

  get(key: K): V | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#use(place);
    return this.#values[place];
  }

  /** Removes an entry and returns its value. */
  take(key: K): V | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const value = this.#values[place];
    this.#remove(place);
    return value;
  }

  /** Sets the entry and drops the least recently used one if there are more than the limit. */
  set(key: K, value: V): void {
    if (this.#limit < 1) return;
    let place = this.#places.get(key);
    if (place === undefined) {
      if (this.#places.size >= this.#limit) this.#remove(this.#oldest);
      place = this.#freePlace();
      this.#keys[place] = key;
      this.#places.set(key, place);
      this.#append(place);
    } else this.#use(place);
    this.#values[place] = value;
  }

  #freePlace(): number {
    const place = this.#free;
    if (place === NONE) return this.#keys.length;
    this.#free = this.#older[place]!;
    return place;
  }

  #remove(place: number): void {
    this.#places.delete(this.#keys[place] as K);
    this.#unlink(place);
    this.#keys[place] = undefined;
    this.#values[place] = undefined;
    this.#older[place] = this.#free;
    this.#free = place;
  }

  #use(place: number): void {
    if (place === this.#newest) return;
    this.#unlink(place);
    this.#append(place);
  }

  #append(place: number): void {
    this.#older[place] = this.#newest;
    this.#newer[place] = NONE;
    if (this.#newest === NONE) this.#oldest = place;
    else this.#newer[this.#newest] = place;
    this.#newest = place;
  }

  #unlink(place: number): void {
    const older = this.#older[place]!;
    const newer = this.#newer[place]!;
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }
}
