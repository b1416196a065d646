/** Subresources that read and update the object of their parent under another strategy: `status`, `finalize`. */
import { BugError } from '../../base/errors.ts';
import { RegistryStore } from '../registry/store.ts';
import type { Strategy, SubresourceDefinition } from './resource-definition.ts';

/**
 * A subresource with get, update and patch. It never creates, whatever the strategy says. `readable: false` leaves get
 * out, and with it patch; default true. Opening it throws BugError if the parent is not the store over Storage.
 */
export function updateSubresource(
  name: string,
  strategy: Strategy,
  options: { readonly readable?: boolean } = {},
): SubresourceDefinition {
  return {
    name,
    store: (parent) => {
      if (!(parent instanceof RegistryStore))
        throw new BugError(`the subresource ${name} needs a parent whose objects the registry stores`);
      const { get, update } = parent.withStrategy({ ...strategy, allowCreateOnUpdate: false });
      return {
        ...(options.readable === false ? undefined : { get }),
        update: (context, change, request) => update(context, change, { ...request, forceAllowCreate: false }),
      };
    },
  };
}
