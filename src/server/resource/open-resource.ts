/** Makes a declared resource usable. Invariant: whatever is opened here is stopped by `stop()`. */
import type { Stoppable } from '../../base/lifetime.ts';
import { RegistryStore } from '../registry/store.ts';
import type { RegistryHost } from './registry-host.ts';
import type { ResourceDefinition, SubresourceDefinition } from './resource-definition.ts';
import type { ResourceStore } from './resource-store.ts';

export interface OpenSubresource {
  readonly definition: SubresourceDefinition;
  readonly store: ResourceStore;
}

export interface OpenResource {
  readonly definition: ResourceDefinition;
  /** The host that it was opened with. */
  readonly host: RegistryHost;
  readonly store: ResourceStore;
  /** By name. */
  readonly subresources: ReadonlyMap<string, OpenSubresource>;
  /** The store over Storage; undefined if the resource declares a store that is not one. */
  readonly registry: RegistryStore | undefined;
  stop(): Promise<void>;
}

/** Opens the resource's own store or makes one over the host's storage. Nothing starts before it is used. A store with a `stop()` is stopped with the resource. */
export function openResource(definition: ResourceDefinition, host: RegistryHost): OpenResource {
  const store = definition.store?.(host) ?? new RegistryStore(definition, host);
  const registry = store instanceof RegistryStore ? store : undefined;
  const subresources = new Map<string, OpenSubresource>();
  for (const subresource of definition.subresources)
    subresources.set(subresource.name, { definition: subresource, store: subresource.store(store, host) });
  return { definition, host, store, subresources, registry, stop: async () => stopperOf(store)?.stop() };
}

/** A store of a definition's own may hold something, too. */
function stopperOf(store: ResourceStore & Partial<Pick<Stoppable, 'stop'>>): Pick<Stoppable, 'stop'> | undefined {
  return store.stop === undefined ? undefined : (store as Pick<Stoppable, 'stop'>);
}
