/**
 * Completion of partial updates of Services. Invariant: only values that the server allocated are kept or dropped. A
 * value that the client changes in the same request is left for validation to report.
 */
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { takeField } from '../../../../server/resource/strategy-fields.ts';
import { isIpv6 } from '../../../shared/ip.ts';
import { isExternallyAccessible } from './service-defaults.ts';
import {
  clusterIps,
  HEADLESS,
  ipFamilies,
  mayHaveNodePorts,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  nodePorts,
  optionalFlag,
  sameTexts,
} from './service-fields.ts';

/** Derives clusterIPs from clusterIP if the client set only that. Called before any other completion. */
export function normalizeClusterIps(spec: JsonObject, old: JsonObject | undefined): void {
  const ip = textAt(spec, 'clusterIP');
  if (old === undefined) {
    if (ip !== '' && clusterIps(spec).length === 0) spec['clusterIPs'] = [ip];
    return;
  }
  const oldIp = textAt(old, 'clusterIP');
  if (ip === oldIp) {
    if (clusterIps(old).length > 0 && clusterIps(spec).length === 0) spec['clusterIPs'] = [...clusterIps(old)];
  } else if (sameTexts(clusterIps(spec), clusterIps(old))) {
    if (ip === '') delete spec['clusterIPs'];
    else spec['clusterIPs'] = [ip];
  }
}

/** Keeps allocated values that the client left out, so that a manifest can be applied repeatedly. */
export function keepAllocatedValues(spec: JsonObject, old: JsonObject): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (textAt(spec, 'clusterIP') === '') takeField(spec, old, 'clusterIP');
    if (clusterIps(spec).length === 0 && clusterIps(old).length > 0) spec['clusterIPs'] = [...clusterIps(old)];
  }
  if (needsNodePorts(old) && needsNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && numberAt(spec, 'healthCheckNodePort') === 0)
    takeField(spec, old, 'healthCheckNodePort');
}

/** Matches ports by name. A node port that the client moved to another port is not assigned again. */
function keepNodePorts(spec: JsonObject, old: JsonObject): void {
  const wanted = new Set(nodePorts(spec));
  const taken = new Set(nodePorts(old).filter((port) => wanted.has(port)));
  const byName = new Map(objectsAt(old, 'ports').map((port) => [textAt(port, 'name'), numberAt(port, 'nodePort')]));
  for (const port of objectsAt(spec, 'ports')) {
    const known = Number(byName.get(textAt(port, 'name')) ?? 0);
    if (numberAt(port, 'nodePort') === 0 && known !== 0 && !taken.has(known)) port['nodePort'] = known;
  }
}

/** Drops fields that the new type does not have, if the client left them unchanged. */
export function dropFieldsOfOldType(spec: JsonObject, old: JsonObject): void {
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if (textAt(old, 'clusterIP') === textAt(spec, 'clusterIP') && sameTexts(clusterIps(old), clusterIps(spec))) {
      delete spec['clusterIP'];
      delete spec['clusterIPs'];
    }
    if (sameTexts(ipFamilies(old), ipFamilies(spec))) delete spec['ipFamilies'];
    if (textAt(old, 'ipFamilyPolicy') === textAt(spec, 'ipFamilyPolicy')) delete spec['ipFamilyPolicy'];
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec)) {
    const known = new Set(nodePorts(old));
    if (nodePorts(spec).every((port) => known.has(port)))
      for (const port of objectsAt(spec, 'ports')) delete port['nodePort'];
  }
  const dropIfSame = (name: string, same: boolean): void => {
    if (same) delete spec[name];
  };
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec))
    dropIfSame('healthCheckNodePort', numberAt(old, 'healthCheckNodePort') === numberAt(spec, 'healthCheckNodePort'));
  if (textAt(old, 'type') === 'LoadBalancer' && textAt(spec, 'type') !== 'LoadBalancer') {
    const flag = optionalFlag(spec, 'allocateLoadBalancerNodePorts');
    dropIfSame(
      'allocateLoadBalancerNodePorts',
      flag !== '' && flag === optionalFlag(old, 'allocateLoadBalancerNodePorts'),
    );
    dropIfSame('loadBalancerClass', fieldAt(old, 'loadBalancerClass') === fieldAt(spec, 'loadBalancerClass'));
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec))
    dropIfSame('externalTrafficPolicy', textAt(old, 'externalTrafficPolicy') === textAt(spec, 'externalTrafficPolicy'));
}

/**
 * Completes the spec of a Service that an older version stored, in place. `spec` must be a copy. `primary` is the
 * cluster's primary family.
 */
export function completeOldSpec(spec: JsonObject, primary: string): void {
  normalizeClusterIps(spec, undefined);
  if (!needsClusterIp(spec)) {
    delete spec['internalTrafficPolicy'];
    return;
  }
  if (ipFamilies(spec).length > 0) return;
  if (textAt(spec, 'clusterIP') === HEADLESS) {
    const hasSelector = Object.keys(objectAt(spec, 'selector') ?? {}).length > 0;
    spec['ipFamilyPolicy'] = hasSelector ? 'SingleStack' : 'RequireDualStack';
    spec['ipFamilies'] = hasSelector ? [primary] : [primary, primary === 'IPv4' ? 'IPv6' : 'IPv4'];
    return;
  }
  const families = clusterIps(spec).map((ip) => (isIpv6(ip) ? 'IPv6' : 'IPv4'));
  spec['ipFamilies'] = families;
  if (families.length === 1) spec['ipFamilyPolicy'] = 'SingleStack';
  if (families.length === 2) spec['ipFamilyPolicy'] = 'RequireDualStack';
}
