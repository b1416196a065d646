/** Where in an object a value stands, printed as the reference prints it: `spec.containers[0].env[k]`. Immutable; text is made last. */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string | number;
  readonly #subscript: boolean;

  private constructor(parent: FieldPath | undefined, step: string | number, subscript: boolean) {
    this.#parent = parent;
    this.#step = step;
    this.#subscript = subscript;
  }

  static of(name: string, ...more: readonly string[]): FieldPath {
    return new FieldPath(undefined, name, false).child(...more);
  }

  child(...names: readonly string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, name, false);
    return path;
  }

  index(index: number): FieldPath {
    return new FieldPath(this, index, true);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, key, true);
  }

  toString(): string {
    const own = this.#subscript ? `[${this.#step}]` : String(this.#step);
    if (this.#parent === undefined) return own;
    return this.#subscript ? `${this.#parent}${own}` : `${this.#parent}.${own}`;
  }
}
