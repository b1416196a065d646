/** Validation of a Service's cluster IPs, IP families and family policy. Also called on specs before allocation. */
import { fieldAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { ipFamily, isIpv6, validateLegacyIp } from '../../../shared/ip.ts';
import { clusterIps, HEADLESS, ipFamilies, isHeadless } from './service-fields.ts';

const SPEC = FieldPath.of('spec');
const CLUSTER_IPS = SPEC.child('clusterIPs');
const FAMILIES = SPEC.child('ipFamilies');
const POLICY = SPEC.child('ipFamilyPolicy');
const KNOWN_FAMILIES = ['IPv4', 'IPv6'];
const KNOWN_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const FIXED = 'may not change once set';

export function validateClusterIps(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  if (textAt(spec, 'type') === 'ExternalName') return [];
  const ips = [...clusterIps(spec)];
  const issues = [...validateFirst(textAt(spec, 'clusterIP'), ips), ...validateFamilies(spec)];
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (fieldAt(spec, 'ipFamilyPolicy') !== undefined && !KNOWN_POLICIES.includes(policy))
    issues.push(notSupported(POLICY, policy, KNOWN_POLICIES));
  const badIps = validateEach(ips, new Set(old === undefined ? [] : clusterIps(old)));
  addIssues(issues, badIps);
  if (ips.length > 2) issues.push(invalid(CLUSTER_IPS, ips, 'may only hold up to 2 values'));
  if (badIps.length > 0) return issues;
  if (ips.length > 1 && !isDualStack(ips))
    issues.push(invalid(CLUSTER_IPS, ips, 'may specify no more than one IP for each IP family'));
  if (!isHeadless(spec)) addIssues(issues, validateMatch(ips, ipFamilies(spec)));
  return issues;
}

function validateFirst(ip: string, ips: string[]): FieldIssue[] {
  if (ip === '')
    return ips.length === 0 ? [] : [invalid(CLUSTER_IPS, ips, 'must be empty when `clusterIP` is not specified')];
  if (ips.length === 0) return [required(CLUSTER_IPS, '')];
  return ips[0] === ip ? [] : [invalid(CLUSTER_IPS, ips, 'first value must match `clusterIP`')];
}

function validateFamilies(spec: JsonObject): FieldIssue[] {
  const seen = new Set<string>();
  return ipFamilies(spec).flatMap((family, i) => {
    const issues: FieldIssue[] = [];
    if (!KNOWN_FAMILIES.includes(family)) issues.push(notSupported(FAMILIES.index(i), family, KNOWN_FAMILIES));
    if (seen.has(family)) issues.push(duplicate(FAMILIES.index(i), family));
    seen.add(family);
    return issues;
  });
}

function validateEach(ips: string[], accepted: ReadonlySet<string>): FieldIssue[] {
  return ips.flatMap((ip, i) => {
    if (i === 0 && ip === HEADLESS)
      return ips.length > 1 ? [invalid(CLUSTER_IPS, ips, "'None' must be the first and only value")] : [];
    return validateLegacyIp(ip, CLUSTER_IPS.index(i), accepted);
  });
}

function isDualStack(ips: readonly string[]): boolean {
  const families = new Set(ips.map(ipFamily));
  return families.has('IPv4') && families.has('IPv6');
}

function validateMatch(ips: readonly string[], families: readonly string[]): FieldIssue[] {
  return ips.flatMap((ip, i) => {
    const family = families[i];
    const wrong = (family === 'IPv4' && isIpv6(ip)) || (family === 'IPv6' && !isIpv6(ip));
    if (!wrong) return [];
    return [invalid(CLUSTER_IPS.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)];
  });
}

/** The second address may be added and removed. The first is immutable, unless the type is or was ExternalName. */
export function validateClusterIpsUpdate(spec: JsonObject, old: JsonObject): FieldIssue[] {
  if ([spec, old].some((one) => textAt(one, 'type') === 'ExternalName')) return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const [ips, oldIps] = [[...clusterIps(spec)], clusterIps(old)];
  const fixed = (i: number): FieldIssue => invalid(CLUSTER_IPS.index(i), ips, FIXED);
  if (ips.length === oldIps.length) return oldIps.flatMap((ip, i) => (ip === ips[i] ? [] : [fixed(i)]));
  const issues: FieldIssue[] = [];
  if (ips.length === 0) issues.push(invalid(CLUSTER_IPS.index(0), null, 'primary clusterIP can not be unset'));
  if (oldIps.length > 0 && ips.length > 0 && ips[0] !== oldIps[0]) issues.push(fixed(0));
  if (ips.length < oldIps.length && ips.length === 1)
    issues.push(...validateRelease(spec, "must be set to 'SingleStack' when releasing the secondary clusterIP"));
  return issues;
}

/** Like `validateClusterIpsUpdate`, for families. Headless Services may change theirs. */
export function validateFamiliesUpdate(spec: JsonObject, old: JsonObject): FieldIssue[] {
  if ([spec, old].some((one) => textAt(one, 'type') === 'ExternalName' || isHeadless(one))) return [];
  const [families, oldFamilies] = [[...ipFamilies(spec)], ipFamilies(old)];
  const first = FAMILIES.index(0);
  if (families.length === oldFamilies.length)
    return oldFamilies.flatMap((family, i) => (family === families[i] ? [] : [invalid(first, families, FIXED)]));
  const issues: FieldIssue[] = [];
  const isDowngrade = families.length < oldFamilies.length;
  if (isDowngrade && clusterIps(spec).length === 0)
    issues.push(invalid(first, families.length === 0 ? null : families, 'primary ipFamily can not be unset'));
  if (families.length > 0 && oldFamilies.length > 0 && families[0] !== oldFamilies[0])
    issues.push(invalid(first, [...clusterIps(spec)], FIXED));
  if (isDowngrade && families.length === 1)
    issues.push(...validateRelease(spec, "must be set to 'SingleStack' when releasing the secondary ipFamily"));
  return issues;
}

function validateRelease(spec: JsonObject, detail: string): FieldIssue[] {
  if (textAt(spec, 'ipFamilyPolicy') === 'SingleStack') return [];
  return [invalid(POLICY, fieldAt(spec, 'ipFamilyPolicy') ?? null, detail)];
}
