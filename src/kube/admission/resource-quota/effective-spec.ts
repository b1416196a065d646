/**
 * The pod spec that quotas count while a pod is resized: for each container the maximum of the requested, the allocated
 * and the actual resources. Returns the spec itself if the status has no resources.
 */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { isSidecar } from '../../groups/core/pod/pod-resources.ts';
import { amountsOf, listOfAmounts, type ResourceAmounts, raiseAmounts } from '../../shared/resource-lists.ts';

export function effectiveSpec(pod: JsonObject): JsonObject {
  const spec = specOf(pod);
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap((list) => objectsAt(pod, 'status', list));
  const known = new Map(
    statuses
      .filter((status) => objectAt(status, 'resources') !== undefined)
      .map((status) => [textAt(status, 'name'), status]),
  );
  if (known.size === 0) return spec;
  const isInfeasible = objectsAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'PodResizePending' && textAt(condition, 'reason') === 'Infeasible',
  );
  const effective = (container: JsonObject): JsonObject => {
    const status = known.get(textAt(container, 'name'));
    return status === undefined ? container : withEffective(container, status, isInfeasible);
  };
  return {
    ...spec,
    containers: objectsAt(spec, 'containers').map(effective),
    initContainers: objectsAt(spec, 'initContainers').map((container) =>
      isSidecar(container) ? effective(container) : container,
    ),
  };
}

/** Ignores the requested resources of a resize that is infeasible. */
function withEffective(container: JsonObject, status: JsonObject, isInfeasible: boolean): JsonObject {
  const requests = maximum(isInfeasible ? undefined : fieldAt(container, 'resources', 'requests'), [
    fieldAt(status, 'resources', 'requests'),
    fieldAt(status, 'allocatedResources'),
  ]);
  const limits = maximum(isInfeasible ? undefined : fieldAt(container, 'resources', 'limits'), [
    fieldAt(status, 'resources', 'limits'),
  ]);
  return { ...container, resources: { requests: listOfAmounts(requests), limits: listOfAmounts(limits) } };
}

function maximum(first: ReturnType<typeof fieldAt>, others: readonly ReturnType<typeof fieldAt>[]): ResourceAmounts {
  const amounts = amountsOf(first);
  for (const other of others) raiseAmounts(amounts, amountsOf(other));
  return amounts;
}
