/** NetworkPolicy. Invariant: pure. */
import { ensureObject, fieldAt, listAt, objectsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';

export function setNetworkPolicyDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  if (listAt(spec, 'policyTypes').length === 0)
    spec['policyTypes'] = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const direction of ['ingress', 'egress'])
    for (const rule of objectsAt(spec, direction))
      for (const port of objectsAt(rule, 'ports')) {
        if (fieldAt(port, 'protocol') === undefined) port['protocol'] = 'TCP';
      }
}
