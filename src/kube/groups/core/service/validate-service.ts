/** Validation of Services, after allocation. */
import {
  fieldAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  complain,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName, validateLabels } from '../../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsLabel } from '../../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain, checkPortNumber } from '../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { metaFacts, specOf } from '../../../../server/resource/strategy-fields.ts';
import { validateLegacyCidr, validateLegacyIp, validateNonSpecialIp } from '../../../shared/ip.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { isExternallyAccessible } from './service-defaults.ts';
import { isHeadless, needsHealthCheckPort } from './service-fields.ts';
import { validateClusterIps, validateClusterIpsUpdate, validateFamiliesUpdate } from './validate-cluster-ips.ts';
import { validateServicePorts } from './validate-service-port.ts';

export const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
export const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const FIXED = 'may not change once set';
const NOT_EXTERNAL_NAME = 'may not be set for ExternalName services';
const ONLY_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const AFFINITIES = ['ClientIP', 'None'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
/** One day. */
const MAX_AFFINITY_SECONDS = 86400;

export function validateService(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsLabel }, METADATA),
    ...validateContent(object, undefined),
  ];
}

export function validateServiceUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [spec, oldSpec] = [specOf(object), specOf(old)];
  const issues = [
    ...validateMetaUpdate(object, old),
    ...validateClusterIpsUpdate(spec, oldSpec),
    ...validateFamiliesUpdate(spec, oldSpec),
  ];
  const balancerClass = fieldAt(spec, 'loadBalancerClass');
  if (isBalancer(spec) && isBalancer(oldSpec) && balancerClass !== fieldAt(oldSpec, 'loadBalancerClass'))
    issues.push(invalid(SPEC.child('loadBalancerClass'), balancerClass ?? null, FIXED));
  addIssues(issues, validateBalancerClass(spec));
  const port = 'healthCheckNodePort';
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec) && numberAt(spec, port) !== numberAt(oldSpec, port))
    issues.push(forbidden(SPEC.child(port), 'field is immutable'));
  return [...issues, ...validateContent(object, old)];
}

function validateContent(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const spec = specOf(object);
  const oldSpec = old === undefined ? undefined : specOf(old);
  return [
    ...validateTopology(object),
    ...validateType(spec),
    ...validateServicePorts(spec, 'names'),
    ...validateLabels(selectorOf(spec), SPEC.child('selector')),
    ...validateAffinity(spec),
    ...validateClusterIps(spec, oldSpec),
    ...validateExternalIps(spec, oldSpec),
    ...validateChoice(spec, 'type', TYPES),
    ...validateServicePorts(spec, 'numbers'),
    ...validateSourceRanges(object, old),
    ...validateBalancer(spec),
    ...validateTraffic(spec),
  ];
}

function validateTopology(object: JsonObject): FieldIssue[] {
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  const [mode, hints] = [fieldAt(annotations, TOPOLOGY_MODE), fieldAt(annotations, TOPOLOGY_HINTS)];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const path = METADATA.child('annotations').key(TOPOLOGY_MODE);
  return [invalid(path, mode, `must match annotations[${TOPOLOGY_HINTS}] when both are specified`)];
}

function validateType(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(spec, 'type');
  if (objectsAt(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName')
    issues.push(required(SPEC.child('ports'), ''));
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec))
    issues.push(invalid(SPEC.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`));
  if (type !== 'ExternalName') return issues;
  for (const name of ['clusterIPs', 'ipFamilies'])
    if (textsAt(spec, name).length > 0) issues.push(forbidden(SPEC.child(name), NOT_EXTERNAL_NAME));
  if (fieldAt(spec, 'ipFamilyPolicy') !== undefined)
    issues.push(forbidden(SPEC.child('ipFamilyPolicy'), NOT_EXTERNAL_NAME));
  // A trailing dot marks a fully qualified name.
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  const path = SPEC.child('externalName');
  if (name === '') issues.push(required(path, ''));
  else addIssues(issues, complain(checkDns1123Subdomain(name), name, path));
  return issues;
}

function validateAffinity(spec: JsonObject): FieldIssue[] {
  const issues = validateChoice(spec, 'sessionAffinity', AFFINITIES);
  const affinity = textAt(spec, 'sessionAffinity');
  const config = objectAt(spec, 'sessionAffinityConfig');
  const path = SPEC.child('sessionAffinityConfig');
  if (affinity === 'None' && config !== undefined)
    issues.push(forbidden(path, 'must not be set when session affinity is None'));
  if (affinity !== 'ClientIP') return issues;
  const because = 'when session affinity type is ClientIP';
  if (config === undefined) return [...issues, required(path, because)];
  const clientIp = objectAt(config, 'clientIP');
  if (clientIp === undefined) return [...issues, required(path.child('clientIP'), because)];
  const seconds = fieldAt(clientIp, 'timeoutSeconds');
  const timeoutPath = path.child('clientIP', 'timeoutSeconds');
  if (typeof seconds !== 'number') return [...issues, required(timeoutPath, because)];
  if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS)
    issues.push(invalid(timeoutPath, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`));
  return issues;
}

function validateExternalIps(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const accepted = new Set(old === undefined ? [] : textsAt(old, 'externalIPs'));
  return textsAt(spec, 'externalIPs').flatMap((ip, i) => {
    const path = SPEC.child('externalIPs').index(i);
    const issues = validateLegacyIp(ip, path, accepted);
    return issues.length > 0 ? issues : validateNonSpecialIp(ip, path);
  });
}

/** Validates the field or, without it, the annotation that it replaced. */
function validateSourceRanges(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const spec = specOf(object);
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  if (ranges.length > 0) {
    const path = SPEC.child('LoadBalancerSourceRanges');
    const oldRanges = old === undefined ? [] : textsAt(old, 'spec', 'loadBalancerSourceRanges');
    const accepted = new Set(oldRanges.map((range) => range.trim()));
    return [
      ...(isBalancer(spec) ? [] : [forbidden(path, ONLY_BALANCER)]),
      ...ranges.flatMap((range, i) => validateLegacyCidr(range.trim(), path.index(i), accepted)),
    ];
  }
  const annotation = fieldAt(object, 'metadata', 'annotations', SOURCE_RANGES);
  if (typeof annotation !== 'string') return [];
  const path = METADATA.child('annotations').key(SOURCE_RANGES);
  const issues = isBalancer(spec) ? [] : [forbidden(path, ONLY_BALANCER)];
  const isOld = old !== undefined && textAt(old, 'metadata', 'annotations', SOURCE_RANGES) === annotation;
  if (isOld || annotation.trim() === '') return issues;
  const parts = annotation.trim().split(',');
  return [...issues, ...parts.flatMap((range) => validateLegacyCidr(range.trim(), path))];
}

function validateBalancer(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const name = 'allocateLoadBalancerNodePorts';
  const isSet = fieldAt(spec, name) !== undefined;
  if (isSet && !isBalancer(spec)) issues.push(forbidden(SPEC.child(name), ONLY_BALANCER));
  if (!isSet && isBalancer(spec)) issues.push(required(FieldPath.of(name), ''));
  return [...issues, ...validateBalancerClass(spec)];
}

function validateBalancerClass(spec: JsonObject): FieldIssue[] {
  const path = SPEC.child('loadBalancerClass');
  const name = fieldAt(spec, 'loadBalancerClass');
  if (typeof name !== 'string') return [];
  if (!isBalancer(spec)) return [forbidden(path, ONLY_BALANCER)];
  return complain(checkQualifiedName(name), name, path);
}

function validateTraffic(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const external = textAt(spec, 'externalTrafficPolicy');
  if (isExternallyAccessible(spec)) addIssues(issues, validateChoice(spec, 'externalTrafficPolicy', TRAFFIC_POLICIES));
  else if (external !== '')
    issues.push(
      invalid(SPEC.child('externalTrafficPolicy'), external, 'may only be set for externally-accessible services'),
    );
  addIssues(issues, validateHealthCheckPort(spec));
  const internal = fieldAt(spec, 'internalTrafficPolicy');
  const path = SPEC.child('internalTrafficPolicy');
  if (internal === undefined && ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(textAt(spec, 'type')))
    issues.push(required(path, ''));
  if (internal !== undefined && !TRAFFIC_POLICIES.includes(internal as string))
    issues.push(notSupported(path, internal, TRAFFIC_POLICIES));
  const distribution = fieldAt(spec, 'trafficDistribution');
  if (distribution !== undefined && !DISTRIBUTIONS.includes(distribution as string))
    issues.push(notSupported(SPEC.child('trafficDistribution'), distribution, DISTRIBUTIONS));
  return issues;
}

function validateHealthCheckPort(spec: JsonObject): FieldIssue[] {
  const path = SPEC.child('healthCheckNodePort');
  const port = numberAt(spec, 'healthCheckNodePort');
  if (needsHealthCheckPort(spec))
    return port === 0 ? [required(path, '')] : complain(checkPortNumber(Number(port)), port, path);
  if (port === 0) return [];
  return [invalid(path, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")];
}

function validateChoice(spec: JsonObject, name: string, choices: readonly string[]): FieldIssue[] {
  const value = textAt(spec, name);
  if (value === '') return [required(SPEC.child(name), '')];
  return choices.includes(value) ? [] : [notSupported(SPEC.child(name), value, choices)];
}

function selectorOf(spec: JsonObject): Record<string, string> {
  return (objectAt(spec, 'selector') ?? {}) as Record<string, string>;
}

function isBalancer(spec: JsonObject): boolean {
  return textAt(spec, 'type') === 'LoadBalancer';
}
