/**
 * The extensions of a certificate (RFC 5280, 4.2) that verification uses. Malformed ones make the certificate
 * malformed.
 */
import { contextTag, DER } from '../der.ts';
import { type AlternativeNames, parseAlternativeNames } from './alternative-names.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import { DerReader, signedNumber } from './der-reader.ts';
import { type NameConstraints, parseNameConstraints } from './name-constraints.ts';
import { type PolicyExtensions, readPolicyExtension } from './policy-extensions.ts';

export interface CertificateExtensions {
  /** The basic constraints are present. Without them, a certificate of version 3 is not an authority. */
  readonly hasBasicConstraints: boolean;
  readonly isCa: boolean;
  /** How many intermediate authorities may follow below this one; undefined for no limit. */
  readonly pathLength: number | undefined;
  /** Key usage bits, bit 0 (digitalSignature) lowest; 0 if the extension is absent, which allows every usage. */
  readonly keyUsage: number;
  /** Object identifiers; empty if the extension is absent, which allows every usage. */
  readonly extendedKeyUsage: readonly string[];
  /** Undefined if the extension is absent. */
  readonly alternativeNames: AlternativeNames | undefined;
  readonly nameConstraints: NameConstraints | undefined;
  readonly policies: PolicyExtensions;
  readonly subjectKeyId: Uint8Array | undefined;
  readonly authorityKeyId: Uint8Array | undefined;
  /** Critical extensions that are not evaluated. A verifier must reject a certificate that has any. */
  readonly unknownCritical: readonly string[];
}

export type ExtensionsDraft = { -readonly [Key in keyof CertificateExtensions]: CertificateExtensions[Key] };

const AUTHORITY_INFO_ACCESS = '1.3.6.1.5.5.7.1.1';

export function noExtensions(): ExtensionsDraft {
  return {
    hasBasicConstraints: false,
    isCa: false,
    pathLength: undefined,
    keyUsage: 0,
    extendedKeyUsage: [],
    alternativeNames: undefined,
    nameConstraints: undefined,
    policies: { policies: [], mappings: [] },
    subjectKeyId: undefined,
    authorityKeyId: undefined,
    unknownCritical: [],
  };
}

interface Extension {
  readonly oid: string;
  readonly isCritical: boolean;
  readonly value: Uint8Array;
}

/** Parses the content of the explicit tag around the extensions. Throws CertificateFault. */
export function parseExtensions(explicit: Uint8Array): CertificateExtensions {
  const extensions: Extension[] = [];
  const list = need(new DerReader(explicit).enter(DER.sequence), 'x509: malformed extensions');
  const seen = new Set<string>();
  while (!list.isEmpty) {
    const extension = parseExtension(need(list.enter(DER.sequence), 'x509: malformed extension'));
    if (seen.has(extension.oid))
      throw new CertificateFault(`x509: certificate contains duplicate extension with OID "${extension.oid}"`);
    seen.add(extension.oid);
    extensions.push(extension);
  }
  const draft = noExtensions();
  const unknownCritical: string[] = [];
  for (const extension of extensions)
    if (!readExtension(extension, draft) && extension.isCritical) unknownCritical.push(extension.oid);
  draft.unknownCritical = unknownCritical;
  return draft;
}

function parseExtension(fields: DerReader): Extension {
  const oid = need(fields.readOid(), 'x509: malformed extension OID field');
  const isCritical = fields.peek(DER.boolean) && need(fields.readBoolean(), 'x509: malformed extension critical field');
  const { content } = need(fields.read(DER.octetString), 'x509: malformed extension value field');
  return { oid, isCritical, value: content };
}

/** Reads an extension into `draft`. Returns false if it is not evaluated, or not completely. */
function readExtension({ oid, isCritical, value }: Extension, draft: ExtensionsDraft): boolean {
  switch (oid) {
    case '2.5.29.14':
      if (isCritical) throw new CertificateFault('x509: subject key identifier incorrectly marked critical');
      draft.subjectKeyId = need(
        new DerReader(value).read(DER.octetString),
        'x509: invalid subject key identifier',
      ).content;
      return true;
    case '2.5.29.15':
      draft.keyUsage = parseKeyUsage(value);
      return true;
    case '2.5.29.17': {
      const names = parseAlternativeNames(value);
      draft.alternativeNames = names;
      const { dnsNames, emailAddresses, ipAddresses, uris } = names;
      return dnsNames.length + emailAddresses.length + ipAddresses.length + uris.length > 0;
    }
    case '2.5.29.19':
      readBasicConstraints(value, draft);
      return true;
    case '2.5.29.30':
      draft.nameConstraints = parseNameConstraints(value);
      return !draft.nameConstraints.hasOtherTypes;
    case '2.5.29.31':
      checkDistributionPoints(value);
      return true;
    case '2.5.29.35':
      if (isCritical) throw new CertificateFault('x509: authority key identifier incorrectly marked critical');
      draft.authorityKeyId = parseAuthorityKeyId(value);
      return true;
    case '2.5.29.37':
      draft.extendedKeyUsage = parseExtendedKeyUsage(value);
      return true;
    case AUTHORITY_INFO_ACCESS:
      if (isCritical) throw new CertificateFault('x509: authority info access incorrectly marked critical');
      checkInfoAccess(value);
      return true;
    default: {
      const policies = readPolicyExtension(oid, value, draft.policies);
      if (policies === undefined) return false;
      draft.policies = policies;
      return true;
    }
  }
}

function parseKeyUsage(value: Uint8Array): number {
  const { bytes } = need(new DerReader(value).readBits(), 'x509: invalid key usage');
  let usage = 0;
  for (let i = 0; i < 9; i++) if ((((bytes[i >> 3] ?? 0) >> (7 - (i & 7))) & 1) !== 0) usage |= 1 << i;
  return usage;
}

function readBasicConstraints(value: Uint8Array, draft: ExtensionsDraft): void {
  const invalid = 'x509: invalid basic constraints';
  const fields = need(new DerReader(value).enter(DER.sequence), invalid);
  draft.hasBasicConstraints = true;
  draft.isCa = fields.peek(DER.boolean) && need(fields.readBoolean(), invalid);
  if (!fields.peek(DER.integer)) return;
  const length = need(signedNumber(fields.readInteger(), 8), invalid);
  if (length < 0n) throw new CertificateFault(invalid);
  draft.pathLength = Number(length);
}

function parseAuthorityKeyId(value: Uint8Array): Uint8Array | undefined {
  const invalid = 'x509: invalid authority key identifier';
  const fields = need(new DerReader(value).enter(DER.sequence), invalid);
  const tag = contextTag(0, false);
  return fields.peek(tag) ? need(fields.read(tag), invalid).content : undefined;
}

function parseExtendedKeyUsage(value: Uint8Array): string[] {
  const invalid = 'x509: invalid extended key usages';
  const list = need(new DerReader(value).enter(DER.sequence), invalid);
  const usages: string[] = [];
  while (!list.isEmpty) usages.push(need(list.readOid(), invalid));
  return usages;
}

/** The points are not used, but must have the form that Go reads. */
function checkDistributionPoints(value: Uint8Array): void {
  const points = need(new DerReader(value).enter(DER.sequence), 'x509: invalid CRL distribution points');
  const invalid = 'x509: invalid CRL distribution point';
  const [nested, uri] = [contextTag(0, true), contextTag(6, false)];
  while (!points.isEmpty) {
    const point = need(points.enter(DER.sequence), invalid);
    if (!point.peek(nested)) continue;
    const names = need(need(point.enter(nested), invalid).enter(nested), invalid);
    while (names.peek(uri)) need(names.read(uri), invalid);
  }
}

/** The locations are not used, but must have the form that Go reads. */
function checkInfoAccess(value: Uint8Array): void {
  const invalid = 'x509: invalid authority info access';
  const list = need(new DerReader(value).enter(DER.sequence), invalid);
  const uri = contextTag(6, false);
  while (!list.isEmpty) {
    const access = need(list.enter(DER.sequence), invalid);
    need(access.readOid(), invalid);
    if (access.peek(uri)) need(access.read(uri), invalid);
  }
}
