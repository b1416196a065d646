/** Subresources that are the same object under other rules. Invariant: they share the parent's cache and storage; a parent that is no registry store cannot have them. */
import { BugError } from '../../base/errors.ts';
import { RegistryStore } from '../registry/store.ts';
import type { Strategy, SubresourceDefinition } from './resource-definition.ts';

/** `/status`: the strategy keeps everything but the status. */
export function statusSubresource(strategy: Strategy): SubresourceDefinition {
  return strategySubresource('status', strategy);
}

/** A subresource of any name that reads and updates the parent's objects with another strategy. */
export function strategySubresource(name: string, strategy: Strategy): SubresourceDefinition {
  return {
    name,
    store: (parent) => {
      if (parent instanceof RegistryStore) return parent.withStrategy(strategy);
      throw new BugError(`the subresource ${name} needs a parent that is stored by the registry`);
    },
  };
}
