/** Warnings about Services: ignored and deprecated fields, and addresses that are not in canonical form. */
import { fieldAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { cidrWarnings, ipWarnings } from '../../../shared/ip.ts';
import { clusterIps, HEADLESS } from './service-fields.ts';
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from './validate-service.ts';

const SPEC = FieldPath.of('spec');

export function serviceWarnings(object: JsonObject): readonly string[] {
  const warnings: string[] = [];
  const spec = (object['spec'] ?? {}) as JsonObject;
  if (fieldAt(object, 'metadata', 'annotations', TOPOLOGY_HINTS) !== undefined)
    warnings.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`);
  const [type, ip] = [textAt(spec, 'type'), textAt(spec, 'clusterIP')];
  if (ip !== '' && ip !== HEADLESS)
    for (const text of clusterIps(spec).flatMap((one, i) => ipWarnings(one, SPEC.child('clusterIPs').index(i))))
      warnings.push(text);
  const isHeadless = type === 'ClusterIP' && ip === HEADLESS;
  const external = textsAt(spec, 'externalIPs');
  const balancerIp = textAt(spec, 'loadBalancerIP');
  if (isHeadless) {
    if (balancerIp !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (external.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (textAt(spec, 'sessionAffinity') !== 'None')
      warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  for (const text of external.flatMap((one, i) => ipWarnings(one, SPEC.child('externalIPs').index(i))))
    warnings.push(text);
  if (external.length > 0 && !isHeadless && type !== 'ExternalName')
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (balancerIp !== '') for (const text of ipWarnings(balancerIp, SPEC.child('loadBalancerIP'))) warnings.push(text);
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  for (const text of ranges.flatMap((range, i) => cidrWarnings(range, SPEC.child('loadBalancerSourceRanges').index(i))))
    warnings.push(text);
  if (type === 'ExternalName') {
    if (external.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  } else if (textAt(spec, 'externalName') !== '')
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (textAt(spec, 'trafficDistribution') === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
