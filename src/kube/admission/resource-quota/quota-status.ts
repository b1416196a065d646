/** Writes the usage into the status of a ResourceQuota. */
import { nameOf, namespaceOf, resourceVersionOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { ensureObject } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { KubeContext } from '../../kube-context.ts';
import { listOfAmounts } from '../../shared/resource-lists.ts';
import type { Amounts } from './amounts.ts';

/** Writes over exactly the state that `quota` is. Rejects with a 409 if the quota has changed, and with a 404 if it is gone. */
export async function writeQuotaUse(world: KubeContext, quota: JsonObject, used: Amounts): Promise<void> {
  await world.writer('resourcequotas').updateStatus(
    { namespace: namespaceOf(quota), name: nameOf(quota) },
    (current) => {
      const sorted = new Map([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
      ensureObject(current, 'status')['used'] = listOfAmounts(sorted);
    },
    { preconditions: { uid: uidOf(quota), resourceVersion: resourceVersionOf(quota) } },
  );
}
