/** The defaults of Nodes. */
import { ensureObject, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { cloneJson, type JsonObject } from '../../../../base/json-value.ts';
import { roundResourceList } from '../../../shared/round-resources.ts';

/** Makes podCIDR and podCIDRs agree, and sets allocatable to the capacity. */
export function setNodeDefaults(object: JsonObject): void {
  alignPodCidrs(ensureObject(object, 'spec'));
  const status = objectAt(object, 'status');
  if (status === undefined) return;
  const capacity = objectAt(status, 'capacity');
  if (capacity !== undefined && objectAt(status, 'allocatable') === undefined)
    status['allocatable'] = cloneJson(capacity);
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatable']);
}

/** podCIDR replaces a list that does not start with it. Without podCIDR, it is the first of the list. */
function alignPodCidrs(spec: JsonObject): void {
  const [single, list] = [textAt(spec, 'podCIDR'), textsAt(spec, 'podCIDRs')];
  if (single !== '' && list[0] !== single) spec['podCIDRs'] = [single];
  else if (single === '' && list[0] !== undefined) spec['podCIDR'] = list[0];
}
