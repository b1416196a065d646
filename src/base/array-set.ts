/**
 * An unordered set whose items record their own index, such as the requests in progress. It costs less than a Set for
 * items that live briefly in a set that lives long: a Set promotes them to V8's old generation (3 KB per GET, measured;
 * this class a tenth of that; docs/decisions/0045-garbage-in-the-young-generation.md).
 */
export interface ArraySetItem {
  /** The index of the item in its set, which sets it. Undefined outside of a set. */
  index?: number | undefined;
}

export class ArraySet<T extends ArraySetItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Adds an item, unless a set has it already. An item is in one set at a time. */
  add(item: T): void {
    if (item.index === undefined) item.index = this.#items.push(item) - 1;
  }

  /** Removes an item; does nothing if the set does not have it. */
  delete(item: T): void {
    const { index } = item;
    if (index === undefined) return;
    item.index = undefined;
    const last = this.#items.pop() as T;
    if (last === item) return;
    this.#items[index] = last;
    last.index = index;
  }

  /** Calls `visit` at least once for each item that the set has at the call. `visit` may add and delete items. */
  visitAll(visit: (item: T) => void): void {
    // Iterates from the end: `delete` fills the freed index with the last item, which was visited already or added
    // meanwhile.
    for (let i = this.#items.length - 1; i >= 0; i--) {
      const item = this.#items[i];
      if (item !== undefined) visit(item);
    }
  }
}
