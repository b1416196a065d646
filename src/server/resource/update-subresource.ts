/** Subresources that are a view of their parent's object: `status`, `finalize`. Invariant: they read and write the parent's own storage, under a strategy of their own. */
import { BugError } from '../../base/errors.ts';
import { RegistryStore } from '../registry/store.ts';
import type { Strategy, SubresourceDefinition } from './resource-definition.ts';

/** `readable` (default true): get, and with it patch, is served too. */
export function updateSubresource(
  name: string,
  strategy: Strategy,
  options: { readonly readable?: boolean } = {},
): SubresourceDefinition {
  return {
    name,
    store: (parent) => {
      if (!(parent instanceof RegistryStore)) throw new BugError(`the subresource ${name} needs a store over storage`);
      const { update } = parent.withStrategy({ ...strategy, allowCreateOnUpdate: false });
      if (update === undefined) throw new BugError(`the parent of the subresource ${name} cannot be updated`);
      return {
        ...(options.readable === false ? undefined : { get: (context, get) => parent.get(context, get) }),
        update: (context, change, request) => update(context, change, { ...request, forceAllowCreate: false }),
      };
    },
  };
}
