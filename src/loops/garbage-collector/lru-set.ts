/** A set of texts that keeps the most recently used ones. */
export class LruSet {
  readonly #limit: number;
  /** The least recently used first. */
  readonly #keys = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds the key and drops the least recently used one if there are more than the limit. */
  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#limit) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(key: string): boolean {
    if (!this.#keys.delete(key)) return false;
    this.#keys.add(key);
    return true;
  }
}
