/**
 * The IP families of a Service. Fields that the client left out are derived from the others, from the stored Service
 * and from the cluster. Invariant: a Service changes between single and dual stack only if its policy asks for it.
 */
import { fieldAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { type IpFamily, ipFamily } from '../../../shared/ip.ts';
import { clusterIps, HEADLESS, ipFamilies, mayHaveNodePorts, sameTexts } from './service-fields.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';

const SPEC = FieldPath.of('spec');
const POLICY = SPEC.child('ipFamilyPolicy');

/** The families of the cluster; the first is the primary one. */
export type ClusterFamilies = readonly [IpFamily, ...IpFamily[]];

/**
 * Validates and fills in `ipFamilyPolicy` and `ipFamilies` of `spec`, in place. `old` is the stored spec, completed by
 * `completeOldSpec`. If it returns issues, the request must be rejected; the spec may then be partly filled in.
 */
export function resolveIpFamilies(
  spec: JsonObject,
  old: JsonObject | undefined,
  cluster: ClusterFamilies,
): readonly FieldIssue[] {
  if (textAt(spec, 'type') === 'ExternalName') return [];
  if (old !== undefined && isUnchangedPreferDualStack(spec, old)) return [];
  const isSelectorlessHeadless = textAt(spec, 'clusterIP') === HEADLESS && isSelectorless(spec);
  if (fieldAt(spec, 'ipFamilyPolicy') === undefined) {
    const kept = old === undefined ? '' : textAt(old, 'ipFamilyPolicy');
    spec['ipFamilyPolicy'] = kept || (isSelectorlessHeadless ? 'RequireDualStack' : 'SingleStack');
  }
  const malformed = validateClusterIps(spec, old);
  if (malformed.length > 0) return malformed;
  const issues = [
    ...(old === undefined ? [] : resolveReduction(spec, old)),
    ...validateSingleStack(spec),
    ...inferFamilies(spec, cluster),
  ];
  if (issues.length > 0) return issues;
  if (!isSelectorlessHeadless) {
    const unsupported = validateCluster(spec, cluster);
    if (unsupported.length > 0) return unsupported;
  }
  const families = ipFamilies(spec).length === 0 ? [cluster[0]] : [...ipFamilies(spec)];
  // A headless Service without a selector may have families that the cluster does not have.
  const mayBeDual = isSelectorlessHeadless || cluster.length === 2;
  if (families.length === 1 && mayBeDual && textAt(spec, 'ipFamilyPolicy') !== 'SingleStack')
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec['ipFamilies'] = families;
  return [];
}

/**
 * Whether the policy is PreferDualStack and neither policy, type, addresses nor families change. Such a Service keeps
 * its families even if those of the cluster have changed since.
 */
export function isUnchangedPreferDualStack(spec: JsonObject, old: JsonObject): boolean {
  const policy = textAt(spec, 'ipFamilyPolicy');
  const type = textAt(spec, 'type');
  const oldPolicy = textAt(old, 'ipFamilyPolicy');
  return (
    policy === 'PreferDualStack' &&
    (oldPolicy === '' || oldPolicy === policy) &&
    type === textAt(old, 'type') &&
    (type === 'ClusterIP' || mayHaveNodePorts(spec)) &&
    sameTexts(clusterIps(spec), clusterIps(old)) &&
    sameTexts(ipFamilies(spec), ipFamilies(old))
  );
}

function isSelectorless(spec: JsonObject): boolean {
  return Object.keys(objectAt(spec, 'selector') ?? {}).length === 0;
}

/** The policy SingleStack removes the second family. With any other policy, removing it is an issue. */
function resolveReduction(spec: JsonObject, old: JsonObject): FieldIssue[] {
  const [ips, families] = [clusterIps(spec), ipFamilies(spec)];
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy === 'SingleStack') {
    if (ips.length > 1 && sameTexts(ips, clusterIps(old))) spec['clusterIPs'] = ips.slice(0, 1);
    if (families.length > 1 && sameTexts(families, ipFamilies(old))) spec['ipFamilies'] = families.slice(0, 1);
    return [];
  }
  const issues: FieldIssue[] = [];
  if (ips.length > 0 && ips.length < clusterIps(old).length)
    issues.push(invalid(POLICY, policy, "must be 'SingleStack' to release the secondary cluster IP"));
  if (families.length > 0 && families.length < ipFamilies(old).length)
    issues.push(invalid(POLICY, policy, "must be 'SingleStack' to release the secondary IP family"));
  return issues;
}

function validateSingleStack(spec: JsonObject): FieldIssue[] {
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy !== 'SingleStack') return [];
  const wanted = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  return [
    ...(clusterIps(spec).length === 2 ? [invalid(POLICY, policy, `${wanted} cluster IPs are specified`)] : []),
    ...(ipFamilies(spec).length === 2 ? [invalid(POLICY, policy, `${wanted} IP families are specified`)] : []),
  ];
}

/** Adds the families of the given addresses. */
function inferFamilies(spec: JsonObject, cluster: ClusterFamilies): FieldIssue[] {
  const ips = clusterIps(spec);
  if (ips[0] === HEADLESS) return [];
  const families = [...ipFamilies(spec)];
  const issues: FieldIssue[] = [];
  for (const [i, ip] of ips.entries()) {
    if (i < families.length) continue;
    const family = ipFamily(ip) as IpFamily;
    if (cluster.includes(family)) families.push(family);
    else
      issues.push(invalid(SPEC.child('clusterIPs').index(i), [...ips], `${family} is not configured on this cluster`));
  }
  if (families.length > 0) spec['ipFamilies'] = families;
  return issues;
}

function validateCluster(spec: JsonObject, cluster: ClusterFamilies): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy === 'RequireDualStack' && cluster.length < 2)
    issues.push(invalid(POLICY, policy, 'this cluster is not configured for dual-stack services'));
  for (const [i, family] of ipFamilies(spec).entries())
    if (!cluster.includes(family as IpFamily))
      issues.push(invalid(SPEC.child('ipFamilies').index(i), family, 'not configured on this cluster'));
  return issues;
}
