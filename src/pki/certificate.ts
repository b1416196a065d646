/**
 * The X.509 certificate parser (RFC 5280). Names and the signed part keep their original bytes, because chains are
 * compared and verified by bytes. A certificate with any malformed part is rejected as a whole.
 */
import { decodeUtf8Strict, formatHex } from '../base/bytes.ts';
import {
  contextTag,
  DER,
  type DerElement,
  readBitString,
  readDer,
  readDerChildren,
  readDerSequence,
  readDerText,
  readDerTime,
  readOid,
} from './der.ts';
import { formatIp } from './ip.ts';
import { formatPem, parsePem } from './pem.ts';

export interface Certificate {
  readonly der: Uint8Array;
  /** The bytes that the signature covers. */
  readonly signedBytes: Uint8Array;
  readonly signatureAlgorithm: string;
  readonly signature: Uint8Array;
  /** Big-endian hexadecimal digits, without a leading zero byte. */
  readonly serialNumber: string;
  readonly issuerBytes: Uint8Array;
  readonly subjectBytes: Uint8Array;
  /** The last CN of the subject, as Go reads it; empty if there is none. The reference uses it as the user name. */
  readonly commonName: string;
  /** The O values of the subject in their order. The reference uses them as the user's groups. */
  readonly organizations: readonly string[];
  /** Milliseconds since the epoch; the validity includes both ends. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
  readonly extensions: CertificateExtensions;
}

export interface CertificateExtensions {
  readonly isCa: boolean;
  /** How many intermediate authorities may follow below this one; undefined for no limit. */
  readonly pathLength: number | undefined;
  /**
   * Key usage bits, bit 0 (digitalSignature) lowest; undefined if the extension is absent, which allows every usage.
   */
  readonly keyUsage: number | undefined;
  /** Object identifiers; undefined if the extension is absent, which allows every usage. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly subjectKeyId: Uint8Array | undefined;
  readonly authorityKeyId: Uint8Array | undefined;
  /**
   * Critical extensions that this parser does not read, and name constraints. A verifier must reject a certificate that
   * has any.
   */
  readonly unknownCritical: readonly string[];
}

export const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  anyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

export const KEY_USAGE = { digitalSignature: 0x01, keyCertSign: 0x20, crlSign: 0x40 } as const;

/**
 * Parses the certificates of a PEM text in their order and ignores other blocks. Returns undefined if one certificate
 * is malformed.
 */
export function parseCertificatesPem(text: string): readonly Certificate[] | undefined {
  const certificates: Certificate[] = [];
  for (const { type, bytes } of parsePem(text)) {
    if (type !== 'CERTIFICATE') continue;
    const certificate = parseCertificate(bytes);
    if (certificate === undefined) return undefined;
    certificates.push(certificate);
  }
  return certificates;
}

export function formatCertificatePem(certificate: Certificate): string {
  return formatPem('CERTIFICATE', certificate.der);
}

/** Parses a certificate in DER; undefined if it is malformed. Does not verify the signature. */
export function parseCertificate(der: Uint8Array): Certificate | undefined {
  const [signed, algorithm, signatureBits, ...more] = readDerSequence(der) ?? [];
  const signatureAlgorithm = readAlgorithm(algorithm);
  const signature = readBitString(signatureBits);
  if (signed?.tag !== DER.sequence || signatureAlgorithm === undefined || signature === undefined || more.length > 0)
    return undefined;
  const fields = readDerChildren(signed.content) ?? [];
  const versioned = fields[0]?.tag === contextTag(0, true);
  const [serial, inner, issuer, validity, subject, key, ...rest] = versioned ? fields.slice(1) : fields;
  // The signature covers only the inner of the two algorithm fields; RFC 5280, 4.1.1.2 requires them to be equal.
  if (readAlgorithm(inner) !== signatureAlgorithm) return undefined;
  if (serial?.tag !== DER.integer || issuer?.tag !== DER.sequence || key?.tag !== DER.sequence) return undefined;
  const names = readName(subject);
  const [from, to] = validity?.tag === DER.sequence ? (readDerChildren(validity.content) ?? []) : [];
  const notBefore = readDerTime(from);
  const notAfter = readDerTime(to);
  const explicit = rest.find((element) => element.tag === contextTag(3, true));
  const extensions = readExtensions(explicit);
  if (subject === undefined || names === undefined || notBefore === undefined || notAfter === undefined)
    return undefined;
  if (extensions === undefined) return undefined;
  return {
    der,
    signedBytes: signed.bytes,
    signatureAlgorithm,
    signature,
    serialNumber: formatHex(
      serial.content[0] === 0 && serial.content.length > 1 ? serial.content.subarray(1) : serial.content,
    ),
    issuerBytes: issuer.bytes,
    subjectBytes: subject.bytes,
    ...names,
    notBefore,
    notAfter,
    spki: key.bytes,
    extensions,
  };
}

/** Returns the object identifier of an AlgorithmIdentifier. */
export function readAlgorithm(element: DerElement | undefined): string | undefined {
  return element?.tag === DER.sequence ? readOid(readDerChildren(element.content)?.[0]) : undefined;
}

/** Reads common name and organizations of a subject; undefined if it is malformed. */
export function readName(
  name: DerElement | undefined,
): { readonly commonName: string; readonly organizations: string[] } | undefined {
  const sets = name?.tag === DER.sequence ? readDerChildren(name.content) : undefined;
  if (sets === undefined) return undefined;
  let commonName = '';
  const organizations: string[] = [];
  for (const set of sets) {
    const pairs = set.tag === DER.set ? readDerChildren(set.content) : undefined;
    if (pairs === undefined) return undefined;
    for (const pair of pairs) {
      const [type, value] = readDerSequence(pair.bytes) ?? [];
      const oid = readOid(type);
      if (oid === undefined) return undefined;
      if (oid !== OID.commonName && oid !== OID.organization) continue;
      const text = readDerText(value);
      if (text === undefined) return undefined;
      if (oid === OID.commonName) commonName = text;
      else organizations.push(text);
    }
  }
  return { commonName, organizations };
}

type Draft = { -readonly [Key in keyof CertificateExtensions]: CertificateExtensions[Key] };

function readExtensions(explicit: DerElement | undefined): CertificateExtensions | undefined {
  const draft: Draft = {
    isCa: false,
    pathLength: undefined,
    keyUsage: undefined,
    extendedKeyUsage: undefined,
    dnsNames: [],
    ipAddresses: [],
    subjectKeyId: undefined,
    authorityKeyId: undefined,
    unknownCritical: [],
  };
  const list = explicit === undefined ? [] : readDerSequence(explicit.content);
  if (list === undefined) return undefined;
  const seen = new Set<string>();
  for (const extension of list) {
    const [type, ...rest] = readDerSequence(extension.bytes) ?? [];
    const oid = readOid(type);
    const critical = rest[0]?.tag === DER.boolean && rest[0].content[0] !== 0;
    const value = rest.at(-1);
    if (oid === undefined || value?.tag !== DER.octetString || seen.has(oid)) return undefined;
    seen.add(oid);
    if (!readExtension(oid, value.content, critical, draft)) return undefined;
  }
  return draft;
}

/** Reads one extension into `draft`. Returns false if it is malformed. */
function readExtension(oid: string, value: Uint8Array, critical: boolean, draft: Draft): boolean {
  switch (oid) {
    case OID.basicConstraints:
      return readBasicConstraints(value, draft);
    case OID.keyUsage: {
      const bits = readDer(value, DER.bitString)?.content;
      if (bits === undefined || bits.length === 0) return false;
      draft.keyUsage = reverseBits(bits[1] ?? 0) | (reverseBits(bits[2] ?? 0) << 8);
      return true;
    }
    case OID.extendedKeyUsage: {
      const usages = readDerSequence(value)?.map(readOid);
      if (usages === undefined || usages.includes(undefined)) return false;
      draft.extendedKeyUsage = usages as string[];
      return true;
    }
    case OID.subjectAltName:
      return readAltNames(value, critical, draft);
    case OID.subjectKeyId:
      draft.subjectKeyId = readDer(value, DER.octetString)?.content;
      return draft.subjectKeyId !== undefined;
    case OID.authorityKeyId: {
      const parts = readDerSequence(value);
      draft.authorityKeyId = parts?.find((part) => part.tag === contextTag(0, false))?.content;
      return parts !== undefined;
    }
    default:
      // Name constraints count as critical even if they are not marked so.
      if (critical || oid === OID.nameConstraints) draft.unknownCritical = [...draft.unknownCritical, oid];
      return true;
  }
}

function readBasicConstraints(value: Uint8Array, draft: Draft): boolean {
  const parts = readDerSequence(value);
  if (parts === undefined) return false;
  draft.isCa = parts[0]?.tag === DER.boolean && parts[0].content[0] !== 0;
  const length = parts.find((part) => part.tag === DER.integer)?.content;
  if (length === undefined) return true;
  // One byte, non-negative: a longer path than 127 does not occur in practice.
  if (length.length !== 1 || (length[0] as number) > 127) return false;
  draft.pathLength = length[0];
  return true;
}

function readAltNames(value: Uint8Array, critical: boolean, draft: Draft): boolean {
  const names = readDerSequence(value);
  if (names === undefined) return false;
  const dnsNames: string[] = [];
  const ipAddresses: string[] = [];
  for (const name of names) {
    if (name.tag === contextTag(2, false)) {
      const text = decodeUtf8Strict(name.content);
      if (text === undefined) return false;
      dnsNames.push(text);
    } else if (name.tag === contextTag(7, false)) {
      const text = formatIp(name.content);
      if (text === undefined) return false;
      ipAddresses.push(text);
    }
  }
  draft.dnsNames = dnsNames;
  draft.ipAddresses = ipAddresses;
  if (critical && dnsNames.length + ipAddresses.length === 0)
    draft.unknownCritical = [...draft.unknownCritical, OID.subjectAltName];
  return true;
}

function reverseBits(byte: number): number {
  let reversed = 0;
  for (let i = 0; i < 8; i++) if ((byte & (1 << i)) !== 0) reversed |= 1 << (7 - i);
  return reversed;
}
