/**
 * An index of members by key prefixes.
 * Invariant: the cost of a lookup depends neither on the number of members nor, for a key in a folder that was looked up
 * before, on the number of prefixes.
 */

/** Folders whose members are remembered. */
const MAX_FOLDERS = 4096;

export class PrefixIndex<T> {
  readonly #byPrefix = new Map<string, Set<T>>();
  /** How many prefixes there are of each length, and the lengths in ascending order. */
  readonly #counts = new Map<number, number>();
  #lengths: number[] = [];
  /** Prefixes that end within a segment of a key. While there are any, a key's folder does not determine its members. */
  #ragged = 0;
  /** Members by the part of a key up to its last slash. */
  readonly #byFolder = new Map<string, readonly T[]>();

  get isEmpty(): boolean {
    return this.#byPrefix.size === 0;
  }

  add(prefix: string, member: T): void {
    this.#byFolder.clear();
    const members = this.#byPrefix.get(prefix);
    if (members !== undefined) {
      members.add(member);
      return;
    }
    this.#byPrefix.set(prefix, new Set([member]));
    this.#count(prefix, 1);
  }

  remove(prefix: string, member: T): void {
    const members = this.#byPrefix.get(prefix);
    if (!members?.delete(member)) return;
    this.#byFolder.clear();
    if (members.size > 0) return;
    this.#byPrefix.delete(prefix);
    this.#count(prefix, -1);
  }

  /** The members of all prefixes of a key, those of the shortest prefix first. */
  find(key: string): readonly T[] {
    if (this.#ragged > 0) return this.#search(key);
    const folder = key.slice(0, key.lastIndexOf('/') + 1);
    let found = this.#byFolder.get(folder);
    if (found === undefined) {
      found = this.#search(folder);
      if (this.#byFolder.size >= MAX_FOLDERS) this.#byFolder.clear();
      this.#byFolder.set(folder, found);
    }
    return found;
  }

  #search(key: string): readonly T[] {
    const found: T[] = [];
    for (const length of this.#lengths) {
      if (length > key.length) break;
      for (const member of this.#byPrefix.get(key.slice(0, length)) ?? []) found.push(member);
    }
    return found;
  }

  #count(prefix: string, change: 1 | -1): void {
    if (prefix !== '' && !prefix.endsWith('/')) this.#ragged += change;
    const count = (this.#counts.get(prefix.length) ?? 0) + change;
    if (count === 0) this.#counts.delete(prefix.length);
    else this.#counts.set(prefix.length, count);
    if (this.#counts.size !== this.#lengths.length) this.#lengths = [...this.#counts.keys()].sort((a, b) => a - b);
  }
}
