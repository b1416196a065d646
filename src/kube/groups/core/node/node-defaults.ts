/** What a Node has that says nothing else. Invariant: idempotent. */
import { ensureObject, objectAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { cloneJson, type JsonObject } from '../../../../base/json-value.ts';
import { roundResourceList } from '../../../shared/round-resources.ts';

/** The two fields for networks of pods agree, and what may be used of a node is what there is. */
export function setNodeDefaults(object: JsonObject): void {
  settlePodCidrs(ensureObject(object, 'spec'));
  const status = objectAt(object, 'status');
  if (status === undefined) return;
  const capacity = objectAt(status, 'capacity');
  if (capacity !== undefined && objectAt(status, 'allocatable') === undefined)
    status['allocatable'] = cloneJson(capacity);
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatable']);
}

/** The single network wins over the list; the list says what the single one is. */
function settlePodCidrs(spec: JsonObject): void {
  const [single, list] = [textAt(spec, 'podCIDR'), textsAt(spec, 'podCIDRs')];
  if (single !== '' && list[0] !== single) spec['podCIDRs'] = [single];
  else if (single === '' && list[0] !== undefined) spec['podCIDR'] = list[0];
}
