/** Subresources that read and update the object of their parent under another strategy: `status`, `finalize`. */
import { BugError } from '../../base/errors.ts';
import { RegistryStore } from '../registry/store.ts';
import type { SubresourceDefinition } from './resource-definition.ts';
import type { ResourceStore } from './resource-store.ts';
import type { Strategy } from './strategy.ts';

/**
 * Returns a subresource with get, update and patch. It never creates, whatever the strategy says. `readable: false`
 * leaves get out, and with it patch; default true. Opening it throws BugError if the parent is not the store over
 * Storage.
 */
export function updateSubresource(
  name: string,
  strategy: Strategy,
  options: { readonly readable?: boolean } = {},
): SubresourceDefinition {
  return {
    name,
    ofParent: true,
    ...(strategy.resetFields === undefined ? undefined : { resetFields: strategy.resetFields }),
    store: (parent) => {
      const { get, update } = registryParent(parent, name).withStrategy({ ...strategy, allowCreateOnUpdate: false });
      return {
        ...(options.readable === false ? undefined : { get }),
        update: (context, change, request) => update(context, change, { ...request, forceAllowCreate: false }),
      };
    },
  };
}

/** Returns the parent as the store over Storage, for subresources that need one. Throws BugError for another store. */
function registryParent(parent: ResourceStore, subresource: string): RegistryStore {
  if (parent instanceof RegistryStore) return parent;
  throw new BugError(`the subresource ${subresource} needs a parent whose objects the registry stores`);
}
