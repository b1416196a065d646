/** What the fields of a Service mean together. Invariant: pure; nothing is changed. */
import { fieldAt, flagAt, numberAt, objectsAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

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

/** It has ports on every node unless somebody chooses none. */
export function mayHaveNodePorts(spec: JsonObject): boolean {
  const type = textAt(spec, 'type');
  return type === 'NodePort' || type === 'LoadBalancer';
}

/** Ports on every node are to be allocated. */
export function needsNodePorts(spec: JsonObject): boolean {
  const type = textAt(spec, 'type');
  if (type === 'NodePort') return true;
  return type === 'LoadBalancer' && fieldAt(spec, 'allocateLoadBalancerNodePorts') !== false;
}

export function needsHealthCheckPort(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** Without those that are not set. */
export function nodePorts(spec: JsonObject): readonly number[] {
  return objectsAt(spec, 'ports')
    .map((port) => Number(numberAt(port, 'nodePort')))
    .filter((port) => port !== 0);
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

/** A flag that may be absent, as text: '' if it is. */
export function optionalFlag(spec: JsonObject, name: string): string {
  return fieldAt(spec, name) === undefined ? '' : String(flagAt(spec, name));
}
