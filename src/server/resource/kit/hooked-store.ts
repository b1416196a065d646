/**
 * The store that requests to a declared resource go to: the registry store or the program's own store, wrapped with the
 * hooks.
 */

import { withWriteCheck } from '../checked-writes.ts';
import { delegateStore } from '../delegate-store.ts';
import type { DeleteRequest, ResourceContext, ResourceStore } from '../resource-store.ts';
import type { KitHooks } from './kit-hooks.ts';
import { withReadHook } from './read-hook.ts';

/** Wraps a store with the hooks that the resource has. Returns the store itself if there are none. */
export function hookedStore(store: ResourceStore, hooks: KitHooks): ResourceStore {
  let hooked = store;
  if (hooks.checksWrites) hooked = withWriteCheck(hooked, hooks.check);
  if (hooks.checksDeletes) hooked = withDeleteCheck(hooked, hooks);
  return hooks.changesReads ? withReadHook(hooked, hooks) : hooked;
}

function withDeleteCheck(store: ResourceStore, hooks: KitHooks): ResourceStore {
  const { delete: remove, deleteCollection } = store;
  const checked = <R extends DeleteRequest>(context: ResourceContext, request: R): R => ({
    ...request,
    validate: async (old) => {
      const dryRun = (request.options.dryRun ?? []).length > 0;
      await hooks.beforeDelete(old, context, dryRun);
      await request.validate(old);
    },
  });
  return delegateStore(store, {
    delete: remove && ((context, request) => remove.call(store, context, checked(context, request))),
    deleteCollection:
      deleteCollection && ((context, request) => deleteCollection.call(store, context, checked(context, request))),
  });
}
