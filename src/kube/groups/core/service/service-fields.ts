/** Reading of a Service's spec. */
import { fieldAt, flagAt, numberAt, objectsAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

/** The cluster IP of a headless Service. */
export const HEADLESS = 'None';

export function clusterIps(spec: JsonObject): readonly string[] {
  return textsAt(spec, 'clusterIPs');
}

export function ipFamilies(spec: JsonObject): readonly string[] {
  return textsAt(spec, 'ipFamilies');
}

export function isHeadless(spec: JsonObject): boolean {
  const ips = clusterIps(spec);
  return ips.length === 1 && ips[0] === HEADLESS;
}

export function needsClusterIp(spec: JsonObject): boolean {
  return textAt(spec, 'type') !== 'ExternalName';
}

/** Whether the type allows node ports. */
export function mayHaveNodePorts(spec: JsonObject): boolean {
  const type = textAt(spec, 'type');
  return type === 'NodePort' || type === 'LoadBalancer';
}

/** Whether node ports have to be allocated. */
export function needsNodePorts(spec: JsonObject): boolean {
  const type = textAt(spec, 'type');
  if (type === 'NodePort') return true;
  return type === 'LoadBalancer' && fieldAt(spec, 'allocateLoadBalancerNodePorts') !== false;
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** The node ports that are set. */
export function nodePorts(spec: JsonObject): readonly number[] {
  return objectsAt(spec, 'ports')
    .map((port) => Number(numberAt(port, 'nodePort')))
    .filter((port) => port !== 0);
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

/** An optional flag as text; '' if absent. */
export function optionalFlag(spec: JsonObject, name: string): string {
  return fieldAt(spec, name) === undefined ? '' : String(flagAt(spec, name));
}
