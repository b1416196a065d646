/** The total requests or limits of a pod: containers, pod-level resources and the overhead of its RuntimeClass. */
import { fieldAt } from '../../../apimachinery/meta/object-fields.ts';
import { addQuantity, isZeroQuantity } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { aggregateContainers } from '../../groups/core/pod/pod-resources.ts';
import { addAmounts, amountsOf, isPodLevelResource, type ResourceAmounts } from '../../shared/resource-lists.ts';

export interface PodTotalOptions {
  /**
   * Returns true if the pod-level amount of a resource replaces the sum of its containers. Default: every resource that
   * can be set at pod level.
   */
  readonly podLevel?: (name: string) => boolean;
  /** Whether the overhead is added. Default true. */
  readonly overhead?: boolean;
}

export function podTotal(
  spec: JsonObject,
  kind: 'requests' | 'limits',
  { podLevel = isPodLevelResource, overhead = true }: PodTotalOptions = {},
): ResourceAmounts {
  const total = aggregateContainers(spec, kind);
  for (const [name, amount] of amountsOf(fieldAt(spec, 'resources', kind))) if (podLevel(name)) total.set(name, amount);
  if (overhead) addOverhead(total, amountsOf(fieldAt(spec, 'overhead')), kind);
  return total;
}

/** Adds the overhead to every request, but only to limits that are set. */
function addOverhead(total: ResourceAmounts, overhead: ResourceAmounts, kind: 'requests' | 'limits'): void {
  if (kind === 'requests') addAmounts(total, overhead);
  else
    for (const [name, amount] of overhead) {
      const limit = total.get(name);
      if (limit !== undefined && !isZeroQuantity(limit)) total.set(name, addQuantity(limit, amount));
    }
}
