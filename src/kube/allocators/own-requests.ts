/** Requests that the server makes to its own stores beside those of clients. Invariant: what is not there is no failure of a deletion. */
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { BugError } from '../../base/errors.ts';
import { ownContext } from '../../server/own/own-context.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';

const DELETE = {
  options: {
    gracePeriodSeconds: undefined,
    preconditions: undefined,
    orphanDependents: undefined,
    propagationPolicy: undefined,
    dryRun: [],
    ignoreStoreReadErrorWithClusterBreakingPotential: undefined,
  },
  validate: () => undefined,
};

/** Deletes an object of a kind that is stored; given a uid, that one alone. */
export async function deleteOwn(
  { definition, store, host }: StoredResource,
  namespace: string,
  name: string,
  uid?: string,
): Promise<void> {
  const { plural, storageVersion } = definition;
  if (storageVersion === undefined) throw new BugError(`${plural} are not stored`);
  try {
    const preconditions = uid === undefined ? undefined : { uid, resourceVersion: undefined };
    const request = { ...DELETE, options: { ...DELETE.options, preconditions } };
    await store.delete?.(ownContext(host.clock, 'delete', { version: storageVersion, namespace, name }), request);
  } catch (error) {
    const isAnother = uid !== undefined && isConflict(error);
    if (!isNotFound(error) && !isAnother) throw error;
  }
}
