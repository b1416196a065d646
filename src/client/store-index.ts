/** One index of a store: the keys of objects by the values of an index function. */
import { toError } from '../base/errors.ts';
import type { IndexFunction, ObjectKey } from './informer.ts';
import type { Stored } from './object-types.ts';

const NO_KEYS: ReadonlySet<ObjectKey> = new Set();

export class StoreIndex<T> {
  readonly indexFunction: IndexFunction<T>;
  readonly #onFailure: (error: Error) => void;
  readonly #keys = new Map<string, Set<ObjectKey>>();

  /** `onFailure` is called with the error if the index function throws for an added object. */
  constructor(indexFunction: IndexFunction<T>, onFailure: (error: Error) => void) {
    this.indexFunction = indexFunction;
    this.#onFailure = onFailure;
  }

  keys(value: string): ReadonlySet<ObjectKey> {
    return this.#keys.get(value) ?? NO_KEYS;
  }

  add(key: ObjectKey, object: Stored<T>): void {
    for (const value of this.#valuesOf(object, true)) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  /** Removes an object. `object` must be the one that was added, so that the index function returns the same values. */
  remove(key: ObjectKey, object: Stored<T>): void {
    for (const value of this.#valuesOf(object, false)) {
      const keys = this.#keys.get(value);
      if (keys?.delete(key) === true && keys.size === 0) this.#keys.delete(value);
    }
  }

  #valuesOf(object: Stored<T>, report: boolean): readonly string[] {
    try {
      return this.indexFunction(object);
    } catch (caught) {
      if (report) this.#onFailure(toError(caught));
      return [];
    }
  }
}
