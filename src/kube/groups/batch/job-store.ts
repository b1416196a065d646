/** The store of Jobs in front of the one over storage. Invariant: a delete that does not say what becomes of the pods leaves them, and warns of that. */
import type { DeleteOptions } from '../../../apimachinery/meta/delete-options.ts';
import { BugError } from '../../../base/errors.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { OpenResource } from '../../../server/resource/open-resource.ts';
import type { ResourceContext, ResourceStore } from '../../../server/resource/resource-store.ts';

const WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export function frontJobs({ store }: OpenResource): ResourceStore {
  const remove = store.delete?.bind(store);
  const removeAll = store.deleteCollection?.bind(store);
  if (remove === undefined || removeAll === undefined) throw new BugError('jobs cannot be deleted');
  return delegateStore(store, {
    delete: (context, request) => {
      warn(context, request.options);
      return remove(context, request);
    },
    deleteCollection: (context, request) => {
      warn(context, request.options);
      return removeAll(context, request);
    },
  });
}

function warn({ request }: ResourceContext, options: DeleteOptions): void {
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined) request.warn(WARNING);
}
