/** Requests that the server makes to its own stores beside those of clients. Invariant: what is not there is no failure of a deletion. */
import { isNotFound } from '../../apimachinery/status/status.ts';
import { BugError } from '../../base/errors.ts';
import { internalContext } from '../../server/registry/internal-context.ts';
import type { OpenResource } from '../../server/registry/open-resource.ts';

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

/** Deletes an object of a kind that is stored. */
export async function deleteOwn({ definition, store }: OpenResource, namespace: string, name: string): Promise<void> {
  const { plural, storageVersion } = definition;
  if (storageVersion === undefined) throw new BugError(`${plural} are not stored`);
  try {
    await store.delete?.(internalContext(storageVersion, namespace, name), DELETE);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
