/**
 * An index of a kind's objects by namespace, for plugins that read it on every write. Most namespaces have no such
 * object.
 * Invariant: after `fresh()` the index equals the lister's state. `in` costs one map lookup.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { catchUp } from '../../server/own/catch-up.ts';
import type { Lister } from '../../server/own/lister.ts';

const NONE: readonly JsonObject[] = [];

export interface NamespaceIndex {
  /** Waits until the index has seen every write that was answered before the call. */
  fresh(): MaybePromise<void>;
  /** Waits until the index has seen every write that any server has answered before the call. */
  current(): MaybePromise<void>;
  /** Returns the objects of a namespace, ordered by name. */
  in(namespace: string): readonly JsonObject[];
}

/** Subscribes to the lister, which starts at the first `fresh()`. */
export function createNamespaceIndex(lister: Lister): NamespaceIndex {
  const namespaces = new Map<string, readonly JsonObject[]>();
  lister.subscribe((changes) => {
    for (const namespace of new Set(changes.map((change) => change.namespace))) {
      const objects = lister.list(namespace);
      if (objects.length === 0) namespaces.delete(namespace);
      else namespaces.set(namespace, objects);
    }
  });
  return {
    fresh: () => lister.fresh(),
    current: () => catchUp(lister),
    in: (namespace) => namespaces.get(namespace) ?? NONE,
  };
}
