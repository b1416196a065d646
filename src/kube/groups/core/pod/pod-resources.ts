/** What the containers of a pod ask for together. Invariant: pure; sums are the reference's, sidecars included. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { compareQuantity, quantitySign } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { addAmounts, amountsOf, type ResourceAmounts, raiseAmounts } from '../../../shared/resource-lists.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/**
 * All containers at work, or an init container beside the sidecars that started before it, whichever is more. Amounts of `limits` or `requests`.
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

/** An init container that keeps running beside the others. */
export function isSidecar(container: JsonObject): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

/** By what the pod as a whole asks for, or else by its containers. */
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

/** CPU and memory, where more than none. */
function computeAmounts(resources: JsonObject, field: 'limits' | 'requests'): ResourceAmounts {
  const amounts = amountsOf(fieldAt(resources, field));
  for (const [name, amount] of amounts)
    if ((name !== 'cpu' && name !== 'memory') || quantitySign(amount) <= 0) amounts.delete(name);
  return amounts;
}
