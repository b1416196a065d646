/**
 * The X.509 certificate parser (RFC 5280). Names and the signed part keep their original bytes, because chains are
 * compared and verified by bytes. It accepts exactly the certificates that Go's x509 accepts, and reports Go's
 * messages.
 */
import { equalBytes, formatHex } from '../base/bytes.ts';
import { contextTag, DER } from './der.ts';
import { formatPem, parsePem } from './pem.ts';
import { CertificateFault, need } from './x509/certificate-fault.ts';
import { parseTime } from './x509/certificate-time.ts';
import { alignBits, DerReader, signedNumber } from './x509/der-reader.ts';
import { parseDistinguishedName } from './x509/distinguished-name.ts';
import { type CertificateExtensions, noExtensions, parseExtensions } from './x509/extensions.ts';
import { type PublicKeyDetails, parsePublicKey } from './x509/public-key.ts';
import { readAlgorithmIdentifier, type SignatureScheme, signatureSchemeOf } from './x509/signature-scheme.ts';

export interface Certificate {
  readonly der: Uint8Array;
  /** 1, 2 or 3. Only version 3 has extensions. */
  readonly version: number;
  /** The bytes that the signature covers. */
  readonly signedBytes: Uint8Array;
  /** Undefined for an algorithm that Go does not know. */
  readonly signatureScheme: SignatureScheme | undefined;
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
  /** Undefined for an algorithm that Go does not know. */
  readonly publicKey: PublicKeyDetails | undefined;
  readonly extensions: CertificateExtensions;
}

export type ParsedCertificate =
  | { readonly ok: true; readonly certificate: Certificate }
  /** `problem` is Go's message. */
  | { readonly ok: false; readonly problem: string };

export const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  anyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** The bits of the extension, the first one lowest (RFC 5280, 4.2.1.3). */
export const KEY_USAGE = {
  digitalSignature: 0x01,
  contentCommitment: 0x02,
  keyEncipherment: 0x04,
  dataEncipherment: 0x08,
  keyAgreement: 0x10,
  keyCertSign: 0x20,
  crlSign: 0x40,
  encipherOnly: 0x80,
  decipherOnly: 0x100,
} as const;

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
  const parsed = readCertificate(der);
  return parsed.ok ? parsed.certificate : undefined;
}

/** Parses a certificate in DER. Does not verify the signature. */
export function readCertificate(der: Uint8Array): ParsedCertificate {
  try {
    return { ok: true, certificate: parse(der) };
  } catch (caught) {
    if (caught instanceof CertificateFault) return { ok: false, problem: caught.message };
    throw caught;
  }
}

function parse(der: Uint8Array): Certificate {
  const input = new DerReader(der);
  const whole = need(input.read(DER.sequence), 'x509: malformed certificate');
  const outer = new DerReader(whole.content);
  const signed = need(outer.read(DER.sequence), 'x509: malformed tbs certificate');
  const fields = new DerReader(signed.content);
  const version = parseVersion(fields);
  const serial = need(fields.readInteger(), 'x509: malformed serial number');
  if ((serial[0] as number) >= 0x80) throw new CertificateFault('x509: negative serial number');
  const signatureScheme = parseSignatureScheme(fields, outer);
  const issuer = need(fields.read(DER.sequence), 'x509: malformed issuer').bytes;
  parseDistinguishedName(issuer);
  const validity = need(fields.enter(DER.sequence), 'x509: malformed validity');
  const notBefore = parseTime(validity);
  const notAfter = parseTime(validity);
  // Go has the same message for both names.
  const subject = need(fields.read(DER.sequence), 'x509: malformed issuer').bytes;
  const names = parseDistinguishedName(subject);
  const spki = need(fields.read(DER.sequence), 'x509: malformed spki').bytes;
  const publicKey = parsePublicKey(spki);
  const extensions = version > 1 ? parseOptionalFields(fields, version) : noExtensions();
  const signature = alignBits(need(outer.readBits(), 'x509: malformed signature'));
  if (!input.isEmpty) throw new CertificateFault('x509: trailing data');
  return {
    der,
    version,
    signedBytes: signed.bytes,
    signatureScheme,
    signature,
    serialNumber: formatHex(serial[0] === 0 && serial.length > 1 ? serial.subarray(1) : serial),
    issuerBytes: issuer,
    subjectBytes: subject,
    ...names,
    notBefore,
    notAfter,
    spki,
    publicKey,
    extensions,
  };
}

function parseVersion(fields: DerReader): number {
  const tag = contextTag(0, true);
  if (!fields.peek(tag)) return 1;
  const explicit = fields.enter(tag);
  const version = need(signedNumber(explicit?.readInteger(), 8), 'x509: malformed version');
  if (explicit?.isEmpty === false || version < 0n) throw new CertificateFault('x509: malformed version');
  if (version > 2n) throw new CertificateFault('x509: invalid version');
  return Number(version) + 1;
}

/** The signature covers only the inner of the two identifiers; RFC 5280, 4.1.1.2 requires them to be equal. */
function parseSignatureScheme(fields: DerReader, outer: DerReader): SignatureScheme | undefined {
  const inner = need(fields.read(DER.sequence), 'x509: malformed signature algorithm identifier').content;
  const repeated = need(outer.read(DER.sequence), 'x509: malformed algorithm identifier').content;
  if (!equalBytes(inner, repeated))
    throw new CertificateFault("x509: inner and outer signature algorithm identifiers don't match");
  const algorithm = readAlgorithmIdentifier(inner);
  if (typeof algorithm === 'string') throw new CertificateFault(algorithm);
  return signatureSchemeOf(algorithm);
}

function parseOptionalFields(fields: DerReader, version: number): CertificateExtensions {
  for (const [number, name] of [
    [1, 'issuerUniqueID'],
    [2, 'subjectUniqueID'],
  ] as const)
    if (fields.peek(contextTag(number, false))) need(fields.read(contextTag(number, false)), `x509: malformed ${name}`);
  const tag = contextTag(3, true);
  if (version < 3 || !fields.peek(tag)) return noExtensions();
  return parseExtensions(need(fields.read(tag), 'x509: malformed extensions').content);
}
