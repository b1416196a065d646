/**
 * Certificate policy processing (RFC 5280, 6.1, as updated by RFC 9618), for a verifier that accepts any policy. It
 * fails only if a certificate of the chain requires explicit policies and no policy is valid for the whole chain.
 */
import { equalBytes } from '../../base/bytes.ts';
import type { Certificate } from '../certificate.ts';
import type { PolicyMapping } from './policy-extensions.ts';

/** 2.5.29.32.0. */
const ANY_POLICY = '551d2000';

/**
 * The policies that are valid at one depth of the chain, each with those that the next certificate may have for it.
 * RFC 9618 keeps the policies of all depths as a graph. Only the last depth decides whether the result is empty.
 */
type ValidPolicies = Map<string, ReadonlySet<string>>;

/** `chain` is the leaf first and the trust anchor last. The extensions of the trust anchor do not count. */
export function policiesAreValid(chain: readonly Certificate[]): boolean {
  const last = chain.length - 1;
  if (last === 0) return true;
  let valid: ValidPolicies | undefined = new Map([[ANY_POLICY, new Set([ANY_POLICY])]]);
  /** How many more certificates may pass before the rule applies. */
  const left = { explicitPolicy: last + 1, policyMapping: last + 1, anyPolicy: last + 1 };
  for (let i = last - 1; i >= 0; i--) {
    const certificate = chain[i] as Certificate;
    const isSelfIssued = equalBytes(certificate.issuerBytes, certificate.subjectBytes);
    const { policies, mappings, requireExplicitPolicy, inhibitPolicyMapping, inhibitAnyPolicy } =
      certificate.extensions.policies;
    if (policies.length === 0) valid = undefined;
    if (valid === undefined && left.explicitPolicy === 0) return false;
    if (valid !== undefined) valid = nextPolicies(valid, policies, left.anyPolicy > 0 || (i > 0 && isSelfIssued));
    if (i === 0) break;
    if (valid !== undefined && !applyMappings(valid, mappings, left.policyMapping > 0)) return false;
    if (!isSelfIssued) for (const rule of RULES) left[rule] = Math.max(0, left[rule] - 1);
    left.explicitPolicy = Math.min(left.explicitPolicy, requireExplicitPolicy ?? Number.POSITIVE_INFINITY);
    left.policyMapping = Math.min(left.policyMapping, inhibitPolicyMapping ?? Number.POSITIVE_INFINITY);
    left.anyPolicy = Math.min(left.anyPolicy, inhibitAnyPolicy ?? Number.POSITIVE_INFINITY);
  }
  const isExplicit =
    left.explicitPolicy <= 1 || (chain[0] as Certificate).extensions.policies.requireExplicitPolicy === 0;
  return !isExplicit || (valid?.size ?? 0) > 0;
}

const RULES = ['explicitPolicy', 'policyMapping', 'anyPolicy'] as const;

/** Returns the policies of a certificate that its issuer allows. */
function nextPolicies(above: ValidPolicies, policies: readonly string[], allowsAny: boolean): ValidPolicies {
  const expected = new Set<string>();
  for (const policiesBelow of above.values()) for (const policy of policiesBelow) expected.add(policy);
  const next: ValidPolicies = new Map();
  for (const policy of policies)
    if (policy !== ANY_POLICY && (expected.has(policy) || above.has(ANY_POLICY))) next.set(policy, new Set([policy]));
  if (policies.includes(ANY_POLICY) && allowsAny)
    for (const policy of expected) if (!next.has(policy)) next.set(policy, new Set([policy]));
  return next;
}

/** Replaces the policies that the next certificate may have. Returns false for a mapping from or to anyPolicy. */
function applyMappings(valid: ValidPolicies, mappings: readonly PolicyMapping[], mayMap: boolean): boolean {
  if (!mayMap) {
    for (const { issuer } of mappings) valid.delete(issuer);
    return true;
  }
  const bySource = new Map<string, Set<string>>();
  for (const { issuer, subject } of mappings) {
    if (issuer === ANY_POLICY || subject === ANY_POLICY) return false;
    const targets = bySource.get(issuer);
    if (targets === undefined) bySource.set(issuer, new Set([subject]));
    else targets.add(subject);
  }
  for (const [issuer, targets] of bySource) if (valid.has(issuer) || valid.has(ANY_POLICY)) valid.set(issuer, targets);
  return true;
}
