/** What a pod asks for in all, its own amounts and the overhead of its runtime included. Invariant: pure; sums are the reference's. */
import { fieldAt } from '../../../apimachinery/meta/object-fields.ts';
import { addQuantity, isZeroQuantity } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { aggregateContainers } from '../../groups/core/pod/pod-resources.ts';
import { addAmounts, amountsOf, isPodLevelResource, type ResourceAmounts } from '../../shared/resource-lists.ts';

export interface PodTotalOptions {
  /** For which resources an amount of the pod as a whole replaces the sum of its containers. Default: all for which there may be one. */
  readonly podLevel?: (name: string) => boolean;
  /** Whether the overhead of the pod's runtime counts. Default true. */
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

/** A limit grows only where there is one. */
function addOverhead(total: ResourceAmounts, overhead: ResourceAmounts, kind: 'requests' | 'limits'): void {
  if (kind === 'requests') addAmounts(total, overhead);
  else
    for (const [name, amount] of overhead) {
      const limit = total.get(name);
      if (limit !== undefined && !isZeroQuantity(limit)) total.set(name, addQuantity(limit, amount));
    }
}
