/** A store in front of another. Invariant: verbs that nobody overrides are exactly those of the store behind, the absent ones included. */
import type { ResourceStore } from './resource-store.ts';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection', 'connect'] as const;

type Verb = (typeof VERBS)[number];

/** `overrides` wins; a verb of it that is `undefined` is taken away. */
export function delegateStore(
  store: ResourceStore,
  overrides: { readonly [V in Verb]?: NonNullable<ResourceStore[V]> | undefined },
): ResourceStore {
  const front: Record<string, unknown> = {};
  for (const verb of VERBS) {
    const method = verb in overrides ? overrides[verb] : (store[verb]?.bind(store) as unknown);
    if (method !== undefined) front[verb] = method;
  }
  if (store.connectMethods !== undefined) front['connectMethods'] = store.connectMethods;
  if (store.connects !== undefined) front['connects'] = store.connects;
  return front as ResourceStore;
}
