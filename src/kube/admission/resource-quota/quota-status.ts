/** Writes what is used into the status of a quota. Invariant: only over the state that was counted with; somebody else's change in between is a conflict. */
import { nameOf, namespaceOf, resourceVersionOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { ensureObject } from '../../../apimachinery/meta/object-fields.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { ownContext } from '../../../server/own/own-context.ts';
import type { KubeContext } from '../../kube-context.ts';
import { listOfAmounts } from '../../shared/resource-lists.ts';
import type { Amounts } from './amounts.ts';

const nothing = (): undefined => undefined;
const REQUEST = {
  dryRun: false,
  fieldManager: 'kube-apiserver',
  forceAllowCreate: false,
  validateCreate: nothing,
  validateUpdate: nothing,
};

/** Rejects with the Status of the store: a conflict, or not found. */
export async function writeQuotaUse(world: KubeContext, quota: JsonObject, used: Amounts): Promise<void> {
  const { definition, subresources } = world.resource('resourcequotas');
  const version = definition.storageVersion;
  const update = subresources.get('status')?.store.update;
  if (version === undefined || update === undefined) throw new BugError('quotas have no status to write');
  await update(
    ownContext(world.host.clock, 'update', { version, namespace: namespaceOf(quota), name: nameOf(quota) }),
    {
      preconditions: { uid: uidOf(quota), resourceVersion: resourceVersionOf(quota) },
      apply: (current) => {
        if (current === undefined) throw new BugError('an update without creation got no object');
        ensureObject(current, 'status')['used'] = listOfAmounts(
          new Map([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
        );
        return current;
      },
    },
    REQUEST,
  );
}
