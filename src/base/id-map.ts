/**
 * A map by integers from 1 to 2^31-1, such as the open streams of a connection, for values that live briefly in a map
 * that lives long. A Map promotes such values to V8's old generation
 * (docs/decisions/0045-garbage-in-the-young-generation.md). This map has one hash table with linear probing, which only
 * growth replaces.
 * Invariant: no free place lies between the home of an id, which its hash names, and the place that the id has.
 */

const FIRST_PLACES = 16;
const FREE = 0;

export class IdMap<T> {
  /** The id at each place; FREE for none. The length is a power of two, and at least half of the places are free. */
  #ids = new Int32Array(FIRST_PLACES);
  /** The value at each place. */
  #values: (T | undefined)[] = new Array(FIRST_PLACES).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    return this.#values[this.#find(id)];
  }

  has(id: number): boolean {
    return this.#ids[this.#find(id)] !== FREE;
  }

  set(id: number, value: T): void {
    let place = this.#find(id);
    if (this.#ids[place] === FREE) {
      if (2 * (this.#size + 1) > this.#ids.length) {
        this.#grow();
        place = this.#find(id);
      }
      this.#ids[place] = id;
      this.#size++;
    }
    this.#values[place] = value;
  }

  /** Returns whether the map had the id. */
  delete(id: number): boolean {
    const ids = this.#ids;
    let hole = this.#find(id);
    if (ids[hole] === FREE) return false;
    const mask = ids.length - 1;
    for (let next = (hole + 1) & mask; ids[next] !== FREE; next = (next + 1) & mask) {
      const home = this.#home(ids[next]!);
      // The entry stays if its home lies after the hole.
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      ids[hole] = ids[next]!;
      this.#values[hole] = this.#values[next];
      hole = next;
    }
    ids[hole] = FREE;
    this.#values[hole] = undefined;
    this.#size--;
    return true;
  }

  /** Returns a copy of the values, in the order of their ids. */
  values(): T[] {
    return [...this.#ids]
      .filter((id) => id !== FREE)
      .sort((a, b) => a - b)
      .map((id) => this.get(id) as T);
  }

  /** Returns the place of an id, or the free place where it would be. */
  #find(id: number): number {
    const ids = this.#ids;
    const mask = ids.length - 1;
    let place = this.#home(id);
    while (ids[place] !== id && ids[place] !== FREE) place = (place + 1) & mask;
    return place;
  }

  /**
   * Returns the home of an id, by multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section
   * 6.4).
   */
  #home(id: number): number {
    return (Math.imul(id, 0x9e3779b1) >>> 16) & (this.#ids.length - 1);
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#ids = new Int32Array(2 * ids.length);
    this.#values = new Array(2 * ids.length).fill(undefined);
    for (let from = 0; from < ids.length; from++) {
      if (ids[from] === FREE) continue;
      const place = this.#find(ids[from]!);
      this.#ids[place] = ids[from]!;
      this.#values[place] = values[from];
    }
  }
}
