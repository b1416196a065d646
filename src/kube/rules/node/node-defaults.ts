/** What a Node has that says nothing else. Invariant: idempotent. */
import { ensureObject, objectAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { cloneJson, type JsonObject } from '../../../base/json-value.ts';
import { roundResourceList } from '../../checks/round-resources.ts';
import { setFieldBefore } from '../../object-fields.ts';

/** The two fields for networks of pods agree, and what may be used of a node is what there is. */
export function setNodeDefaults(object: JsonObject): void {
  settlePodCidrs(ensureObject(object, 'spec'));
  const status = objectAt(object, 'status');
  if (status === undefined) return;
  const capacity = objectAt(status, 'capacity');
  if (capacity !== undefined && objectAt(status, 'allocatable') === undefined)
    setFieldBefore(status, 'allocatable', cloneJson(capacity), AFTER_ALLOCATABLE);
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatable']);
}

const AFTER_ALLOCATABLE = [
  'phase',
  'conditions',
  'addresses',
  'daemonEndpoints',
  'nodeInfo',
  'images',
  'volumesInUse',
  'volumesAttached',
  'config',
  'runtimeHandlers',
  'features',
  'declaredFeatures',
];

/** What is written after the networks. */
const LATER = ['providerID', 'unschedulable', 'taints', 'configSource', 'externalID'];

/** The single network wins over the list; the list says what the single one is. */
function settlePodCidrs(spec: JsonObject): void {
  const [single, list] = [textAt(spec, 'podCIDR'), textsAt(spec, 'podCIDRs')];
  if (single !== '' && list[0] !== single) setFieldBefore(spec, 'podCIDRs', [single], LATER);
  else if (single === '' && list[0] !== undefined) setFieldBefore(spec, 'podCIDR', list[0], ['podCIDRs', ...LATER]);
}
