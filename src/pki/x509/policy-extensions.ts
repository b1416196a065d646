/** The extensions about certificate policies (RFC 5280, 4.2.1.4, 4.2.1.5, 4.2.1.11 and 4.2.1.14). */
import { formatHex } from '../../base/bytes.ts';
import { contextTag, DER } from '../der.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import { DerReader, minimalInteger, signedNumber } from './der-reader.ts';

/** Policies are object identifiers, in hexadecimal of their DER content. */
export interface PolicyExtensions {
  readonly policies: readonly string[];
  readonly mappings: readonly PolicyMapping[];
  /** After how many certificates each one must have an acceptable policy. Undefined: never. Likewise the others. */
  readonly requireExplicitPolicy?: number;
  readonly inhibitPolicyMapping?: number;
  readonly inhibitAnyPolicy?: number;
}

export interface PolicyMapping {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns `before` with the content of an extension, or undefined for another extension. Throws CertificateFault. */
export function readPolicyExtension(
  oid: string,
  value: Uint8Array,
  before: PolicyExtensions,
): PolicyExtensions | undefined {
  switch (oid) {
    case '2.5.29.32':
      return { ...before, policies: parsePolicies(value) };
    case '2.5.29.33':
      return { ...before, mappings: parseMappings(value) };
    case '2.5.29.36':
      return { ...before, ...parseConstraints(value) };
    case '2.5.29.54': {
      const skip = signedNumber(new DerReader(value).readInteger(), 8);
      return { ...before, ...countOf('inhibitAnyPolicy', need(skip, 'x509: invalid inhibit any policy extension')) };
    }
    default:
      return undefined;
  }
}

function parsePolicies(value: Uint8Array): string[] {
  const invalid = 'x509: invalid certificate policies';
  const list = need(new DerReader(value).enter(DER.sequence), invalid);
  const policies = new Set<string>();
  while (!list.isEmpty) {
    const { content } = need(list.enter(DER.sequence)?.read(DER.oid), invalid);
    const policy = formatHex(content);
    if (policies.has(policy) || !isObjectIdentifier(content)) throw new CertificateFault(invalid);
    policies.add(policy);
  }
  return [...policies];
}

/** Checks the encoding. Components may have any size. */
function isObjectIdentifier(content: Uint8Array): boolean {
  let isFirst = true;
  for (const byte of content) {
    if (isFirst && byte === 0x80) return false;
    isFirst = byte < 0x80;
  }
  return content.length > 0 && isFirst;
}

function parseMappings(value: Uint8Array): PolicyMapping[] {
  const invalid = 'x509: invalid policy mappings extension';
  const list = need(new DerReader(value).enter(DER.sequence), invalid);
  const mappings: PolicyMapping[] = [];
  while (!list.isEmpty) {
    const pair = need(list.enter(DER.sequence), invalid);
    const [issuer, subject] = [need(pair.read(DER.oid), invalid), need(pair.read(DER.oid), invalid)];
    mappings.push({ issuer: formatHex(issuer.content), subject: formatHex(subject.content) });
  }
  return mappings;
}

function parseConstraints(value: Uint8Array): Partial<PolicyExtensions> {
  const invalid = 'x509: invalid policy constraints extension';
  const fields = need(new DerReader(value).enter(DER.sequence), invalid);
  let constraints: Partial<PolicyExtensions> = {};
  for (const [number, name] of [
    [0, 'requireExplicitPolicy'],
    [1, 'inhibitPolicyMapping'],
  ] as const) {
    const tag = contextTag(number, false);
    if (!fields.peek(tag)) continue;
    const skip = signedNumber(minimalInteger(fields.read(tag)?.content), 8);
    constraints = { ...constraints, ...countOf(name, need(skip, invalid)) };
  }
  return constraints;
}

/** Go ignores negative numbers. */
function countOf(
  name: 'requireExplicitPolicy' | 'inhibitPolicyMapping' | 'inhibitAnyPolicy',
  skip: bigint,
): Partial<PolicyExtensions> {
  return skip < 0n ? {} : { [name]: Number(skip) };
}
