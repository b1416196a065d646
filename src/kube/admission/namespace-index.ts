/**
 * The objects of a kind by namespace, for plugins that ask on every write and mostly hear that there are none. Invariant: after the lister's `fresh()` the index is what the
 * lister has; asking costs one look into a map.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Lister } from '../../server/own/lister.ts';

const NONE: readonly JsonObject[] = [];

export class NamespaceIndex {
  readonly #lister: Lister;
  readonly #namespaces = new Map<string, readonly JsonObject[]>();

  /** Starts nothing: the lister begins with the first `fresh()`. */
  constructor(lister: Lister) {
    this.#lister = lister;
    lister.subscribe((changes) => {
      for (const namespace of new Set(changes.map((change) => change.namespace))) {
        const objects = lister.list(namespace);
        if (objects.length === 0) this.#namespaces.delete(namespace);
        else this.#namespaces.set(namespace, objects);
      }
    });
  }

  fresh(): MaybePromise<void> {
    return this.#lister.fresh();
  }

  /** In order of their names. */
  in(namespace: string): readonly JsonObject[] {
    return this.#namespaces.get(namespace) ?? NONE;
  }
}
