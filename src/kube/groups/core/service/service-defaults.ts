/** The defaults of Services. IP families, cluster IPs and node ports are filled in by the store, not here. */
import {
  ensureObject,
  fieldAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

/** The default timeout of client IP affinity: three hours. */
const AFFINITY_SECONDS = 10800;

export function setServiceDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setAffinity(spec);
  if (textAt(spec, 'type') === '') spec['type'] = 'ClusterIP';
  for (const port of objectsAt(spec, 'ports')) {
    if (textAt(port, 'protocol') === '') port['protocol'] = 'TCP';
    const target = fieldAt(port, 'targetPort');
    if (target === undefined || target === 0 || target === '') port['targetPort'] = fieldAt(port, 'port') ?? 0;
  }
  if (isExternallyAccessible(spec) && textAt(spec, 'externalTrafficPolicy') === '')
    spec['externalTrafficPolicy'] = 'Cluster';
  if (fieldAt(spec, 'internalTrafficPolicy') === undefined && CLUSTER_TYPES.has(textAt(spec, 'type')))
    spec['internalTrafficPolicy'] = 'Cluster';
  if (textAt(spec, 'type') !== 'LoadBalancer') return;
  if (fieldAt(spec, 'allocateLoadBalancerNodePorts') === undefined) spec['allocateLoadBalancerNodePorts'] = true;
  for (const ingress of objectsAt(object, 'status', 'loadBalancer', 'ingress'))
    if (textAt(ingress, 'ip') !== '' && fieldAt(ingress, 'ipMode') === undefined) ingress['ipMode'] = 'VIP';
}

const CLUSTER_TYPES: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

function setAffinity(spec: JsonObject): void {
  if (textAt(spec, 'sessionAffinity') === '') spec['sessionAffinity'] = 'None';
  const affinity = textAt(spec, 'sessionAffinity');
  if (affinity === 'None') delete spec['sessionAffinityConfig'];
  if (affinity !== 'ClientIP') return;
  const clientIp = objectAt(spec, 'sessionAffinityConfig', 'clientIP');
  if (clientIp === undefined || fieldAt(clientIp, 'timeoutSeconds') === undefined)
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
}

/** Whether the Service accepts traffic from outside the cluster. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const type = textAt(spec, 'type');
  return (
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0)
  );
}
