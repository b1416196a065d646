/** What a Node has that says nothing else. Invariant: idempotent. */
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { cloneJson, type JsonObject } from '../../../base/json-value.ts';

/** What may be used is what there is. */
export function setNodeDefaults(object: JsonObject): void {
  const status = objectAt(object, 'status');
  const capacity = status === undefined ? undefined : objectAt(status, 'capacity');
  if (status === undefined || capacity === undefined || objectAt(status, 'allocatable') !== undefined) return;
  status['allocatable'] = cloneJson(capacity);
}
