/** A store that wraps another one and overrides some of its verbs. */
import type { ResourceStore } from './resource-store.ts';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection', 'connect'] as const;

/** Everything of a store that is neither a verb nor `stop`. */
const PROPERTIES = ['connectMethods', 'connectOptions', 'keepsSystemFields'] as const;

type Verb = (typeof VERBS)[number];

/**
 * Returns a store with the verbs of `overrides`, and with the verbs and properties of `store` for the rest. An override
 * of `undefined` removes the verb. A verb that neither has stays absent, so discovery does not publish it.
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
  for (const property of PROPERTIES) if (store[property] !== undefined) wrapper[property] = store[property];
  if (store.stop !== undefined) wrapper['stop'] = () => store.stop?.();
  return wrapper as ResourceStore;
}
