/**
 * An ordered map with O(1) copies: a B+tree with copy-on-write nodes and subtree counts. Keys are ordered by `<`, all
 * of one type, never NaN. Invariant: only the map whose stamp a node carries modifies that node. `clone()` gives both
 * maps new stamps, so a node that two maps share is never modified again.
 */

// The most and the fewest entries of a leaf, or children of a branch. Splits at the right edge may leave fewer.
const MAX = 64;
const MIN = 16;

interface Stamp {
  readonly map: true;
}

/**
 * In a leaf, `keys` are the keys of its entries. In a branch, `keys[i]` is a lower bound of child i and above every key
 * of child i - 1; `keys[0]` is not read.
 */
class Node<K, T> {
  readonly stamp: Stamp;
  keys: K[];
  /** The entries of a leaf; empty in a branch. */
  values: T[];
  /** Undefined in a leaf. */
  children: Node<K, T>[] | undefined;
  /** The number of entries in the subtree. */
  count: number;

  constructor(stamp: Stamp, keys: K[], values: T[], children: Node<K, T>[] | undefined, count: number) {
    this.stamp = stamp;
    this.keys = keys;
    this.values = values;
    this.children = children;
    this.count = count;
  }
}

/** A run of consecutive entries. */
export interface OrderedPage<K, T> {
  readonly values: T[];
  /** The next key of the range after the last value; undefined if there is none. */
  readonly next: K | undefined;
  /** The number of entries of the range after the last value. */
  readonly remaining: number;
}

/** Single operations take O(log n). `undefined` must not be stored: it means "no such key". */
export class OrderedMap<K extends string | number, T> {
  #stamp: Stamp = { map: true };
  #root: Node<K, T> = new Node<K, T>(this.#stamp, [], [], undefined, 0);
  // The value that the last set or delete replaced. It is a field because returning an object per level would allocate
  // on a hot path.
  #previous: T | undefined;

  get size(): number {
    return this.#root.count;
  }

  /** Returns an independent map with the same entries. Takes O(1). */
  clone(): OrderedMap<K, T> {
    const copy = new OrderedMap<K, T>();
    copy.#root = this.#root;
    this.#stamp = { map: true };
    return copy;
  }

  get(key: K): T | undefined {
    let node = this.#root;
    while (node.children !== undefined) node = node.children[childAt(node.keys, key)]!;
    const at = lowerBound(node.keys, key);
    return node.keys[at] === key ? node.values[at] : undefined;
  }

  /** Adds or replaces an entry. Returns the previous value. */
  set(key: K, value: T): T | undefined {
    const root = this.#own(this.#root);
    this.#root = root;
    this.#previous = undefined;
    const right = this.#insert(root, key, value, true);
    if (right !== undefined) {
      this.#root = new Node(this.#stamp, [root.keys[0]!, right.keys[0]!], [], [root, right], root.count + right.count);
    }
    return this.#takePrevious();
  }

  /** Removes an entry. Returns its value. */
  delete(key: K): T | undefined {
    if (this.get(key) === undefined) return undefined;
    let root = this.#own(this.#root);
    this.#remove(root, key);
    while (root.children !== undefined && root.children.length === 1) root = root.children[0]!;
    this.#root = root;
    return this.#takePrevious();
  }

  /** Returns the number of keys below `key`. */
  rank(key: K): number {
    let node = this.#root;
    let below = 0;
    while (node.children !== undefined) {
      const at = childAt(node.keys, key);
      for (let i = 0; i < at; i++) below += node.children[i]!.count;
      node = node.children[at]!;
    }
    return below + lowerBound(node.keys, key);
  }

  /** Returns the number of keys in [start, end). An absent bound is open. */
  count(start?: K, end?: K): number {
    const from = start === undefined ? 0 : this.rank(start);
    const to = end === undefined ? this.size : this.rank(end);
    return Math.max(0, to - from);
  }

  /** Returns the entry with the greatest key at or below `key`; without `key`, the last entry. */
  floor(key?: K): { readonly key: K; readonly value: T } | undefined {
    const index = key === undefined ? this.size - 1 : this.rank(key) - (this.get(key) === undefined ? 1 : 0);
    return this.at(index);
  }

  /** Returns the entry at a position in key order, from 0. */
  at(index: number): { readonly key: K; readonly value: T } | undefined {
    if (index < 0 || index >= this.size) return undefined;
    let node = this.#root;
    while (node.children !== undefined) {
      let child = 0;
      while (index >= node.children[child]!.count) index -= node.children[child++]!.count;
      node = node.children[child]!;
    }
    return { key: node.keys[index]!, value: node.values[index]! };
  }

  /**
   * Calls back for each entry of [start, end) in key order until the callback returns false. The callback must not
   * modify this map; it may modify a clone.
   */
  forEachFrom(start: K | undefined, end: K | undefined, callback: (value: T, key: K) => unknown): void {
    visit(this.#root, start, end, callback);
  }

  /** Returns the first `limit` values of [start, end), and the position after them. A limit of 0 means all. */
  page(start: K | undefined, end: K | undefined, limit = 0): OrderedPage<K, T> {
    const values: T[] = [];
    const total = this.count(start, end);
    if (limit <= 0 || limit > total) limit = total;
    if (limit > 0) collect(this.#root, start, limit, values);
    const remaining = total - values.length;
    const next = remaining === 0 ? undefined : this.at((start === undefined ? 0 : this.rank(start)) + limit)?.key;
    return { values, next, remaining };
  }

  /**
   * Returns the entries of [start, end) at the time of the first step. Later changes are not seen. Slower than
   * `forEachFrom`.
   */
  *entries(start?: K, end?: K): Generator<[K, T], void, undefined> {
    const frozen = this.clone();
    let key = start;
    for (;;) {
      const batch: [K, T][] = [];
      let following: K | undefined;
      frozen.forEachFrom(key, end, (value, at) => {
        if (batch.length === MAX) {
          following = at;
          return false;
        }
        batch.push([at, value]);
        return true;
      });
      yield* batch;
      if (following === undefined) return;
      key = following;
    }
  }

  #takePrevious(): T | undefined {
    const previous = this.#previous;
    this.#previous = undefined;
    return previous;
  }

  #own(node: Node<K, T>): Node<K, T> {
    return node.stamp === this.#stamp
      ? node
      : new Node(this.#stamp, node.keys.slice(), node.values.slice(), node.children?.slice(), node.count);
  }

  /**
   * Inserts into an owned node. Returns the new right half if the node was split. `rightmost` is true if no node of the
   * map is to the right of this one.
   */
  #insert(node: Node<K, T>, key: K, value: T, rightmost: boolean): Node<K, T> | undefined {
    if (node.children === undefined) {
      const at = lowerBound(node.keys, key);
      if (node.keys[at] === key) {
        this.#previous = node.values[at];
        node.values[at] = value;
        return undefined;
      }
      insertAt(node.keys, at, key);
      insertAt(node.values, at, value);
      node.count++;
      return node.keys.length > MAX ? this.#split(node, at, rightmost) : undefined;
    }
    const at = childAt(node.keys, key);
    const last = at === node.children.length - 1;
    const child = this.#own(node.children[at]!);
    node.children[at] = child;
    const before = child.count;
    const right = this.#insert(child, key, value, rightmost && last);
    if (right === undefined) {
      node.count += child.count - before;
      return undefined;
    }
    node.count++;
    insertAt(node.keys, at + 1, right.keys[0]!);
    insertAt(node.children, at + 1, right);
    return node.keys.length > MAX ? this.#split(node, at + 1, rightmost) : undefined;
  }

  /** Splits so that ascending inserts leave full nodes at the right edge, and nodes three quarters full elsewhere. */
  #split(node: Node<K, T>, inserted: number, rightmost: boolean): Node<K, T> {
    const length = node.keys.length;
    const atEnd = inserted === length - 1;
    const middle = atEnd ? (rightmost ? length - 1 : length - MIN) : length >> 1;
    const keys = node.keys.splice(middle);
    const children = node.children?.splice(middle);
    const values = node.children === undefined ? node.values.splice(middle) : [];
    const count = children === undefined ? keys.length : countOf(children);
    node.count -= count;
    return new Node(this.#stamp, keys, values, children, count);
  }

  /** Removes a present key from an owned node. */
  #remove(node: Node<K, T>, key: K): void {
    node.count--;
    if (node.children === undefined) {
      const at = lowerBound(node.keys, key);
      this.#previous = node.values[at];
      node.keys.splice(at, 1);
      node.values.splice(at, 1);
      return;
    }
    const at = childAt(node.keys, key);
    const child = this.#own(node.children[at]!);
    node.children[at] = child;
    this.#remove(child, key);
    if (child.keys.length < MIN && node.children.length > 1) this.#rebalance(node, at === 0 ? 0 : at - 1);
  }

  /**
   * Merges children `at` and `at + 1` of an owned node, or distributes their contents evenly if they do not fit into
   * one.
   */
  #rebalance(node: Node<K, T>, at: number): void {
    const children = node.children!;
    const left = this.#own(children[at]!);
    const right = children[at + 1]!;
    // A branch never reads its own first key, which may be below the bound in the parent. The parent's bound is
    // correct.
    const rightKeys = right.keys.slice();
    if (right.children !== undefined) rightKeys[0] = node.keys[at + 1]!;
    const keys = left.keys.concat(rightKeys);
    const values = left.values.concat(right.values);
    const grandchildren = left.children?.concat(right.children!);
    const count = left.count + right.count;
    if (keys.length <= MAX) {
      children[at] = new Node(this.#stamp, keys, values, grandchildren, count);
      children.splice(at + 1, 1);
      node.keys.splice(at + 1, 1);
      return;
    }
    const middle = keys.length >> 1;
    const keysAfter = keys.splice(middle);
    const childrenAfter = grandchildren?.splice(middle);
    const valuesAfter = grandchildren === undefined ? values.splice(middle) : [];
    const after = childrenAfter === undefined ? keysAfter.length : countOf(childrenAfter);
    children[at] = new Node(this.#stamp, keys, values, grandchildren, count - after);
    children[at + 1] = new Node(this.#stamp, keysAfter, valuesAfter, childrenAfter, after);
    node.keys[at + 1] = keysAfter[0]!;
  }
}

/** Returns the first position whose key is not below `key`. */
function lowerBound<K extends string | number>(keys: readonly K[], key: K): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the child of a branch that holds `key`. */
function childAt<K extends string | number>(keys: readonly K[], key: K): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key < keys[middle]!) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

function insertAt<E>(list: E[], at: number, element: E): void {
  if (at === list.length) list.push(element);
  else list.splice(at, 0, element);
}

function countOf<K, T>(nodes: readonly Node<K, T>[]): number {
  let count = 0;
  for (const node of nodes) count += node.count;
  return count;
}

function visit<K extends string | number, T>(
  node: Node<K, T>,
  start: K | undefined,
  end: K | undefined,
  callback: (value: T, key: K) => unknown,
): boolean {
  const { keys, children } = node;
  if (children === undefined) {
    const values = node.values;
    // Finding the end once is cheaper than comparing keys in the loop.
    const stop = end === undefined ? keys.length : lowerBound(keys, end);
    for (let i = start === undefined ? 0 : lowerBound(keys, start); i < stop; i++) {
      if (callback(values[i]!, keys[i]!) === false) return false;
    }
    return stop === keys.length;
  }
  const first = start === undefined ? 0 : childAt(keys, start);
  for (let i = first; i < children.length; i++) {
    if (i > first && end !== undefined && !(keys[i]! < end)) return false;
    if (!visit(children[i]!, i === first ? start : undefined, end, callback)) return false;
  }
  return true;
}

/** Appends up to `limit` values from `start` on. Returns how many are missing. */
function collect<K extends string | number, T>(
  node: Node<K, T>,
  start: K | undefined,
  limit: number,
  into: T[],
): number {
  if (node.children === undefined) {
    const { values } = node;
    const from = start === undefined ? 0 : lowerBound(node.keys, start);
    const to = Math.min(values.length, from + limit);
    for (let i = from; i < to; i++) into.push(values[i]!);
    return limit - (to - from);
  }
  const first = start === undefined ? 0 : childAt(node.keys, start);
  for (let i = first; i < node.children.length && limit > 0; i++) {
    limit = collect(node.children[i]!, i === first ? start : undefined, limit, into);
  }
  return limit;
}
