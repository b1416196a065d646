/**
 * Field paths: the place of a value in an object, printed as `spec.containers[0].env[k]`. A path is immutable and
 * stores only its last step; the text is made by `toString` or `formatPath`.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string;
  readonly #subscript: boolean;

  private constructor(parent: FieldPath | undefined, step: string, subscript: boolean) {
    this.#parent = parent;
    this.#step = step;
    // An empty name is printed as `[]`, as an empty key is.
    this.#subscript = subscript || step === '';
  }

  static of(name: string, ...more: readonly string[]): FieldPath {
    return new FieldPath(undefined, name, false).child(...more);
  }

  /** A path that begins with an index, for an object that is a list: `[0]`. */
  static ofIndex(index: number): FieldPath {
    return new FieldPath(undefined, String(index), true);
  }

  /** A path that begins with a key, for an object that is a map: `[k]`. */
  static ofKey(key: string): FieldPath {
    return new FieldPath(undefined, key, true);
  }

  child(...names: readonly string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, name, false);
    return path;
  }

  index(index: number): FieldPath {
    return new FieldPath(this, String(index), true);
  }

  /** The entry of a map. The key is printed without escaping. */
  key(key: string): FieldPath {
    return new FieldPath(this, key, true);
  }

  /** The names, keys and indices of the path, from the root. */
  get steps(): readonly string[] {
    const steps: string[] = [];
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) steps.push(path.#step);
    return steps.reverse();
  }

  toString(): string {
    const steps: string[] = [];
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) {
      steps.push(path.#subscript ? `[${path.#step}]` : path.#parent === undefined ? path.#step : `.${path.#step}`);
    }
    return steps.reverse().join('');
  }
}

/** The text of a path; `<nil>` for the whole object. */
export function formatPath(path: FieldPath | undefined): string {
  return path === undefined ? '<nil>' : path.toString();
}

/** Returns the path of a field below `path`, or at the root. */
export function childPath(path: FieldPath | undefined, name: string): FieldPath {
  return path === undefined ? FieldPath.of(name) : path.child(name);
}

/** Returns the path of a list item below `path`, or at the root. */
export function indexPath(path: FieldPath | undefined, index: number): FieldPath {
  return path === undefined ? FieldPath.ofIndex(index) : path.index(index);
}

/** Returns the path of a map entry below `path`, or at the root. */
export function keyPath(path: FieldPath | undefined, key: string): FieldPath {
  return path === undefined ? FieldPath.ofKey(key) : path.key(key);
}
