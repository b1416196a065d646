/** Opens declared resources: makes the store of a resource and the stores of its subresources. */
import { RegistryStore } from '../registry/store.ts';
import type { RegistryHost } from './registry-host.ts';
import {
  type ResourceDefinition,
  type StoredDefinition,
  type SubresourceDefinition,
  storedGroupResource,
} from './resource-definition.ts';
import type { ResourceStore } from './resource-store.ts';

export interface OpenSubresource {
  readonly definition: SubresourceDefinition;
  readonly store: ResourceStore;
}

export interface OpenResource {
  readonly definition: ResourceDefinition;
  /** The host that the resource was opened with. */
  readonly host: RegistryHost;
  /** The store that requests go to: the registry store, the definition's own, or one that wraps either. */
  readonly store: ResourceStore;
  /** The subresources by name. */
  readonly subresources: ReadonlyMap<string, OpenSubresource>;
  /** The store over Storage, also if `store` wraps it. Undefined if the definition has a store of its own. */
  readonly registry: RegistryStore | undefined;
  /** Stops the store. Watches end and later calls fail. Idempotent. */
  stop(): Promise<void>;
}

/**
 * A resource whose objects the store over Storage holds. `registry` has every verb of a stored resource, so the
 * server's own code reads and writes its objects without checking which verbs there are.
 */
export interface StoredResource extends OpenResource {
  readonly definition: StoredDefinition;
  readonly registry: RegistryStore;
}

/**
 * Opens the definition's own store, or makes one over the host's storage. Starts nothing: a store starts with its first
 * use. Throws BugError for a definition with neither a store nor a storage version.
 */
export function openResource(definition: StoredDefinition, host: RegistryHost): StoredResource;
export function openResource(definition: ResourceDefinition, host: RegistryHost): OpenResource;
export function openResource(definition: ResourceDefinition, host: RegistryHost): OpenResource {
  const own = definition.store?.(host);
  if (own !== undefined) return openWith(own, undefined, definition, host);
  const storage = definition.storage?.(host);
  if (storage === undefined) {
    const routed = routedHost(definition, host);
    const registry = new RegistryStore(definition, routed);
    return openWith(registry, registry, definition, routed);
  }
  const ownHost = { ...host, storage };
  const registry = new RegistryStore(definition, ownHost);
  const open = openWith(registry, registry, definition, ownHost);
  return { ...open, stop: () => open.stop().finally(() => storage.stop()) };
}

/** Returns the host with the storage of the resource. */
function routedHost(definition: ResourceDefinition, host: RegistryHost): RegistryHost {
  const storage = host.storageOf?.(storedGroupResource(definition)) ?? host.storage;
  return storage === host.storage ? host : { ...host, storage };
}

function openWith(
  store: ResourceStore,
  registry: RegistryStore | undefined,
  definition: ResourceDefinition,
  host: RegistryHost,
): OpenResource {
  const subresources = new Map<string, OpenSubresource>();
  for (const subresource of definition.subresources) {
    const own = subresource.store(store, host);
    const wrapped = subresource.ofParent === true ? wrapOf(definition, own) : own;
    subresources.set(subresource.name, { definition: subresource, store: wrapped });
  }
  const shown = wrapOf(definition, store);
  return { definition, host, store: shown, subresources, registry, stop: async () => store.stop?.() };
}

function wrapOf(definition: ResourceDefinition, store: ResourceStore): ResourceStore {
  return definition.wrap === undefined ? store : definition.wrap(store);
}

/** Reports whether the store over Storage holds the objects. */
export function isStoredResource(resource: OpenResource): resource is StoredResource {
  return resource.registry !== undefined;
}
