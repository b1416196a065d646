/** EndpointSlice. Invariant: pure. */
import { fieldAt, objectsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';

export function setEndpointSliceDefaults(object: JsonObject): void {
  for (const port of objectsAt(object, 'ports')) {
    if (fieldAt(port, 'name') === undefined) port['name'] = '';
    if (fieldAt(port, 'protocol') === undefined) port['protocol'] = 'TCP';
  }
}
