/** A store that wraps another one and overrides some of its verbs. */
import type { ResourceStore } from './resource-store.ts';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection', 'connect'] as const;

type Verb = (typeof VERBS)[number];

/**
 * Returns a store with the verbs of `overrides`, and with those of `store` for the rest. An override of `undefined`
 * removes the verb. A verb that neither has stays absent, so discovery does not publish it.
 */
export function delegateStore(
  store: ResourceStore,
  overrides: { readonly [V in Verb]?: NonNullable<ResourceStore[V]> | undefined },
): ResourceStore {
  const wrapper: Record<string, unknown> = {};
  for (const verb of VERBS) {
    const method = verb in overrides ? overrides[verb] : (store[verb]?.bind(store) as unknown);
    if (method !== undefined) wrapper[verb] = method;
  }
  if (store.connectMethods !== undefined) wrapper['connectMethods'] = store.connectMethods;
  if (store.connectOptions !== undefined) wrapper['connectOptions'] = store.connectOptions;
  return wrapper as ResourceStore;
}
