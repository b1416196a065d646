/** IngressClass. Invariant: pure. */
import { fieldAt, objectAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';

export function setIngressClassDefaults(object: JsonObject): void {
  const parameters = objectAt(object, 'spec', 'parameters');
  if (parameters !== undefined && fieldAt(parameters, 'scope') === undefined) parameters['scope'] = 'Cluster';
}
