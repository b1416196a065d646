/** The write of the usage into the status of a ResourceQuota. */
import { nameOf, namespaceOf, resourceVersionOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { ensureObject } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { KubeContext } from '../../kube-context.ts';
import { listOfAmounts } from '../../shared/resource-lists.ts';
import type { Amounts } from './amounts.ts';

/** Rejects with a 409 if the stored quota has changed since `quota` was read, and with a 404 if it does not exist. */
export async function writeQuotaUsage(kube: KubeContext, quota: JsonObject, used: Amounts): Promise<void> {
  await kube.writer('resourcequotas').updateStatus(
    { namespace: namespaceOf(quota), name: nameOf(quota) },
    (current) => {
      const sorted = new Map([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
      ensureObject(current, 'status')['used'] = listOfAmounts(sorted);
    },
    { preconditions: { uid: uidOf(quota), resourceVersion: resourceVersionOf(quota) } },
  );
}
