/**
 * What is held for a while, such as requests in progress. Invariant: the `place` of an item is where it stands in the list, and undefined when it is in none. A Set says the same
 * in less, but whatever passes through one that lives long outlives the young collections of V8: of each GET 3 KB were promoted, a tenth of that so.
 */
export interface Held {
  /** The list's own note. */
  place?: number | undefined;
}

export class HeldList<T extends Held> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Nothing happens if it is held already. An item is in one list at a time. */
  add(item: T): void {
    if (item.place === undefined) item.place = this.#items.push(item) - 1;
  }

  /** Nothing happens if it is not held. */
  delete(item: T): void {
    const { place } = item;
    if (place === undefined) return;
    item.place = undefined;
    const last = this.#items.pop() as T;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** Those held at the call, each at least once; `visit` may add and delete. */
  visitAll(visit: (item: T) => void): void {
    // From the end: what takes a free place comes from behind, where all have been visited.
    for (let i = this.#items.length - 1; i >= 0; i--) {
      const item = this.#items[i];
      if (item !== undefined) visit(item);
    }
  }
}
