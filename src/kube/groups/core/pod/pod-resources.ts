/** The sum of the containers' resources, and the QoS class of a pod. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { compareQuantity, quantitySign } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { addAmounts, amountsOf, type ResourceAmounts, raiseAmounts } from '../../../shared/resource-lists.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/**
 * The limits or requests of the pod: for each resource, the larger of all containers together and any init container
 * together with the sidecars that start before it.
 */
export function aggregateContainers(spec: JsonObject, field: 'limits' | 'requests'): ResourceAmounts {
  const sum: ResourceAmounts = new Map();
  for (const container of objectsAt(spec, 'containers'))
    addAmounts(sum, amountsOf(fieldAt(container, 'resources', field)));
  const sidecars: ResourceAmounts = new Map();
  const most: ResourceAmounts = new Map();
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = amountsOf(fieldAt(container, 'resources', field));
    if (isSidecar(container)) {
      addAmounts(sum, own);
      addAmounts(sidecars, own);
      raiseAmounts(most, sidecars);
    } else {
      addAmounts(own, sidecars);
      raiseAmounts(most, own);
    }
  }
  raiseAmounts(sum, most);
  return sum;
}

/** Whether an init container keeps running beside the others. */
export function isSidecar(container: JsonObject): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

/** The QoS class, by the pod-level resources or, without them, by those of the containers. */
export function qosClassOf(spec: JsonObject): QosClass {
  const requests: ResourceAmounts = new Map();
  const limits: ResourceAmounts = new Map();
  let isGuaranteed = true;
  const own = objectAt(spec, 'resources');
  if (own !== undefined) {
    addAmounts(requests, computeAmounts(own, 'requests'));
    const amounts = computeAmounts(own, 'limits');
    addAmounts(limits, amounts);
    if (fieldAt(own, 'limits') !== undefined && amounts.size < 2) isGuaranteed = false;
  } else
    for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]) {
      const resources = objectAt(container, 'resources') ?? {};
      addAmounts(requests, computeAmounts(resources, 'requests'));
      const amounts = computeAmounts(resources, 'limits');
      addAmounts(limits, amounts);
      if (amounts.size < 2) isGuaranteed = false;
    }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  for (const [name, amount] of requests) {
    const limit = limits.get(name);
    if (limit === undefined || compareQuantity(limit, amount) !== 0) isGuaranteed = false;
  }
  return isGuaranteed && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

/** The positive amounts of CPU and memory. */
function computeAmounts(resources: JsonObject, field: 'limits' | 'requests'): ResourceAmounts {
  const amounts = amountsOf(fieldAt(resources, field));
  for (const [name, amount] of amounts)
    if ((name !== 'cpu' && name !== 'memory') || quantitySign(amount) <= 0) amounts.delete(name);
  return amounts;
}
