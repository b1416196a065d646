/** Endpoints, which the reference has deprecated in favour of EndpointSlices. Invariant: pure. */
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** Shown with every request. */
export const ENDPOINTS_DEPRECATION = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

export function setEndpointsDefaults(object: JsonObject): void {
  for (const subset of objectsAt(object, 'subsets'))
    for (const port of objectsAt(subset, 'ports')) if (textAt(port, 'protocol') === '') port['protocol'] = 'TCP';
}
