/**
 * Fields by name, for walks along objects of one kind. Invariant: answers as the map does; a field that comes where it came last time is found by comparing one name, and few names are remembered.
 */

const REMEMBERED = 64;

export class FieldLookup<T> {
  readonly #fields: ReadonlyMap<string, T>;
  readonly #names: string[] = [];
  readonly #found: T[] = [];

  constructor(fields: ReadonlyMap<string, T>) {
    this.#fields = fields;
  }

  /** `place`: how many names of the object came before. */
  get(place: number, name: string): T | undefined {
    if (this.#names[place] === name) return this.#found[place];
    const found = this.#fields.get(name);
    if (found !== undefined && place < REMEMBERED && place <= this.#names.length) {
      this.#names[place] = name;
      this.#found[place] = found;
    }
    return found;
  }
}
