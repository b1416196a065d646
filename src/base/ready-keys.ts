/**
 * The ready keys of a work queue, by priority. Invariants:
 * - Of the keys of one priority, the one that became ready first is taken first.
 * - While keys of a lower priority wait, at most LOWER_SHARE keys of a higher one are taken in a row. No priority
 *   starves, however many keys of higher priorities become ready.
 * - A queue that uses one priority pays for one Set.
 */

/**
 * After this many keys of one priority, one key of the lower priorities is taken. controller-runtime's priority queue
 * has no such share: there a busy controller may delay its initial list without bound.
 */
export const LOWER_SHARE = 10;

interface Level<K> {
  readonly priority: number;
  readonly keys: Set<K>;
  /** The keys taken from this level since one of a lower level was taken. */
  taken: number;
}

export class ReadyKeys<K> {
  /** Highest priority first. The level of priority 0 always exists. The others go when no key is left. */
  #levels: Level<K>[] = [{ priority: 0, keys: new Set(), taken: 0 }];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: K): boolean {
    for (const level of this.#levels) if (level.keys.has(key)) return true;
    return false;
  }

  /** Adds a key. A key that is present with a lower priority moves behind the keys of the higher one. */
  add(key: K, priority: number): void {
    for (const level of this.#levels) {
      if (!level.keys.has(key)) continue;
      if (level.priority >= priority) return;
      level.keys.delete(key);
      this.#size--;
      break;
    }
    this.#level(priority).keys.add(key);
    this.#size++;
  }

  /** Moves the next key with its priority to `target`, and returns it. There must be a key. */
  moveNext(target: Map<K, number>): K {
    const level = this.#levels.length === 1 ? (this.#levels[0] as Level<K>) : this.#next();
    const key = level.keys.values().next().value as K;
    level.keys.delete(key);
    this.#size--;
    if (this.#size === 0 && this.#levels.length > 1) this.clear();
    target.set(key, level.priority);
    return key;
  }

  clear(): void {
    this.#levels = [{ priority: 0, keys: new Set(), taken: 0 }];
    this.#size = 0;
  }

  /**
   * Returns the level of the next key. After LOWER_SHARE keys of one level, one key of the lower levels is next; the
   * same rule chooses among these.
   */
  #next(): Level<K> {
    let last = this.#levels.length - 1;
    while (last > 0 && this.#levels[last]?.keys.size === 0) last--;
    for (let i = 0; i < last; i++) {
      const level = this.#levels[i] as Level<K>;
      if (level.keys.size === 0) continue;
      if (level.taken < LOWER_SHARE) {
        level.taken++;
        return level;
      }
      level.taken = 0;
    }
    return this.#levels[last] as Level<K>;
  }

  #level(priority: number): Level<K> {
    let index = 0;
    for (; index < this.#levels.length; index++) {
      const level = this.#levels[index] as Level<K>;
      if (level.priority === priority) return level;
      if (level.priority < priority) break;
    }
    const level: Level<K> = { priority, keys: new Set(), taken: 0 };
    this.#levels.splice(index, 0, level);
    return level;
  }
}
