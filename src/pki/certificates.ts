/**
 * Issues certificates: authorities, serving certificates and client certificates.
 * Invariant: an issued certificate never outlives its issuer, carries the issuer's name byte for byte and its key id,
 * and has exactly one extended key usage.
 */
import { encodeUtf8 } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { BugError, ConfigError } from '../base/errors.ts';
import { randomBytes } from '../base/random.ts';
import { type Certificate, formatCertificatePem, KEY_USAGE, OID, parseCertificate } from './certificate.ts';
import {
  contextTag,
  DER,
  readBitString,
  readDerSequence,
  writeBitString,
  writeDer,
  writeDerText,
  writeDerTime,
  writeOid,
  writeSequence,
  writeUnsigned,
} from './der.ts';
import { canonicalIp, parseIp } from './ip.ts';
import {
  formatPrivateKeyPem,
  generateKey,
  type PrivateKey,
  type SigningAlgorithm,
  signatureHalf,
  signBytes,
} from './keys.ts';
import { keyCrypto } from './runtime-key-crypto.ts';

/** A certificate with its private key, both parsed and in PEM. */
export interface KeyedCertificate {
  readonly certificate: Certificate;
  readonly certificatePem: string;
  readonly key: PrivateKey;
  readonly keyPem: string;
}

/** The certificate and the key that an authority signs with. */
export interface Issuer {
  readonly certificate: Certificate;
  readonly key: PrivateKey;
}

const DAY = 86_400_000;
export const CA_VALIDITY: number = 3650 * DAY;
export const LEAF_VALIDITY: number = 365 * DAY;
/** `notBefore` lies this far in the past, because the clocks of clients differ. */
const BACKDATE: number = 5 * 60_000;

/**
 * DNS names of every serving certificate: those under which clients inside and outside of a cluster reach the API
 * server.
 */
export const API_SERVER_HOSTS: readonly string[] = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
];
export const LOOPBACK_IPS: readonly string[] = ['127.0.0.1', '::1'];

interface IssueOptions {
  readonly clock: Clock;
  /** Milliseconds from now; default CA_VALIDITY or LEAF_VALIDITY. The issuer's end limits it. */
  readonly validity?: number;
  /** The subject's key. Default: a new P-256 key. */
  readonly key?: PrivateKey;
}

export interface CaOptions extends IssueOptions {
  /** kubeadm uses `kubernetes` for the cluster's authority and `front-proxy-ca` for that of the front proxy. */
  readonly commonName: string;
  /** The authority that signs it. Default: it signs itself. */
  readonly issuer?: Issuer;
}

export interface ServerCertificateOptions extends IssueOptions {
  /** DNS names or IP addresses, added to API_SERVER_HOSTS and LOOPBACK_IPS. */
  readonly hosts?: readonly string[];
  /** Default `kube-apiserver`. */
  readonly commonName?: string;
}

export interface ClientCertificateOptions extends IssueOptions {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** Creates an authority, self-signed unless an issuer is given. */
export async function createCa(options: CaOptions): Promise<KeyedCertificate> {
  return signCa(options, options.key ?? (await generateKey()), writeName(options.commonName, []), undefined);
}

/** Renews an authority. Name, key and key id stay the same, so every certificate that it issued still verifies. */
export async function renewCa(ca: Issuer, options: { clock: Clock; validity?: number }): Promise<KeyedCertificate> {
  return signCa(options, ca.key, ca.certificate.subjectBytes, ca.certificate.extensions.subjectKeyId);
}

function signCa(
  options: { clock: Clock; validity?: number; issuer?: Issuer },
  key: PrivateKey,
  subject: Uint8Array,
  subjectKeyId: Uint8Array | undefined,
): Promise<KeyedCertificate> {
  const usage = KEY_USAGE.digitalSignature | KEY_USAGE.keyCertSign | KEY_USAGE.crlSign;
  return issue({
    subject,
    subjectKeyId,
    key,
    issuer: options.issuer,
    ...period(options, CA_VALIDITY, options.issuer?.certificate),
    extensions: [
      writeExtension(OID.keyUsage, true, writeKeyUsage(usage)),
      writeExtension(OID.basicConstraints, true, writeSequence(writeDer(DER.boolean, Uint8Array.of(0xff)))),
    ],
  });
}

/** Issues a certificate for TLS servers. Throws ConfigError for a host that is neither a DNS name nor an IP address. */
export async function issueServerCertificate(ca: Issuer, options: ServerCertificateOptions): Promise<KeyedCertificate> {
  const names = servingNames(options.hosts ?? []);
  const altNames = [
    ...names.dnsNames.map((name) => writeDer(contextTag(2, false), encodeUtf8(name))),
    ...names.ips.map((ip) => writeDer(contextTag(7, false), parseIp(ip) as Uint8Array)),
  ];
  return issueLeaf(ca, options, writeName(options.commonName ?? 'kube-apiserver', []), OID.serverAuth, [
    writeExtension(OID.subjectAltName, false, writeSequence(...altNames)),
  ]);
}

/** Issues a certificate for TLS clients. The common name is the user; the organizations are the groups. */
export async function issueClientCertificate(ca: Issuer, options: ClientCertificateOptions): Promise<KeyedCertificate> {
  if (options.user === '') throw new ConfigError('a client certificate needs the name of a user');
  return issueLeaf(ca, options, writeName(options.user, options.groups ?? []), OID.clientAuth, []);
}

/**
 * Returns all names of a serving certificate: API_SERVER_HOSTS, LOOPBACK_IPS and `hosts`, without repetition, DNS names
 * and IP addresses apart. Throws ConfigError for a host that is neither.
 */
export function servingNames(hosts: readonly string[]): { dnsNames: readonly string[]; ips: readonly string[] } {
  const dnsNames = new Set(API_SERVER_HOSTS);
  const ips = new Set(LOOPBACK_IPS);
  for (const host of hosts) {
    const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
    const ip = canonicalIp(bare);
    if (ip !== undefined) ips.add(ip);
    else dnsNames.add(checkDnsName(host));
  }
  return { dnsNames: [...dnsNames], ips: [...ips] };
}

function checkDnsName(host: string): string {
  const name = (host.endsWith('.') ? host.slice(0, -1) : host).toLowerCase();
  const labels = name.split('.');
  const good = labels.every(
    (label, i) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label) || (i === 0 && label === '*'),
  );
  // A name whose last label is a number is a misspelt IP address.
  if (!good || name.length > 253 || /^\d+$/.test(labels.at(-1) as string))
    throw new ConfigError(
      `${JSON.stringify(host)} is neither a DNS name nor an IP address, so no certificate can name it`,
    );
  return name;
}

async function issueLeaf(
  ca: Issuer,
  options: IssueOptions,
  subject: Uint8Array,
  usage: string,
  more: readonly Uint8Array[],
): Promise<KeyedCertificate> {
  const limits = period(options, LEAF_VALIDITY, ca.certificate);
  if (limits.notAfter <= options.clock.now()) {
    const end = new Date(ca.certificate.notAfter).toISOString();
    throw new ConfigError(
      `the certificate authority ${JSON.stringify(ca.certificate.commonName)} ended on ${end}: nothing can be issued with it`,
    );
  }
  return issue({
    subject,
    key: options.key ?? (await generateKey()),
    issuer: ca,
    ...limits,
    extensions: [
      writeExtension(OID.keyUsage, true, writeKeyUsage(KEY_USAGE.digitalSignature)),
      writeExtension(OID.extendedKeyUsage, false, writeSequence(writeOid(usage))),
      writeExtension(OID.basicConstraints, true, writeSequence()),
      ...more,
    ],
  });
}

function period(
  options: { clock: Clock; validity?: number },
  normal: number,
  issuer: Certificate | undefined,
): { notBefore: number; notAfter: number } {
  const now = options.clock.now();
  const end = now + (options.validity ?? normal);
  return { notBefore: now - BACKDATE, notAfter: issuer === undefined ? end : Math.min(end, issuer.notAfter) };
}

interface Template {
  readonly subject: Uint8Array;
  readonly subjectKeyId?: Uint8Array | undefined;
  readonly key: PrivateKey;
  /** Undefined for a self-signed certificate. */
  readonly issuer: Issuer | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Uint8Array[];
}

async function issue(template: Template): Promise<KeyedCertificate> {
  const { key, issuer, subject } = template;
  const own = template.subjectKeyId ?? (await keyIdentifier(key));
  const { certificate, certificatePem } = await signCertificate({
    subject,
    spki: key.publicKey.spki,
    signer: issuer?.key ?? key,
    issuerName: issuer?.certificate.subjectBytes ?? subject,
    authorityKeyId: issuer === undefined ? own : issuer.certificate.extensions.subjectKeyId,
    notBefore: template.notBefore,
    notAfter: template.notAfter,
    extensions: [...template.extensions, writeExtension(OID.subjectKeyId, false, writeDer(DER.octetString, own))],
  });
  return { certificate, certificatePem, key, keyPem: formatPrivateKeyPem(key) };
}

/** The content of a certificate that is to be signed. Names and keys are DER. */
export interface UnsignedCertificate {
  readonly subject: Uint8Array;
  readonly spki: Uint8Array;
  readonly signer: PrivateKey;
  readonly issuerName: Uint8Array;
  /** Undefined: the certificate does not name the key of its issuer. */
  readonly authorityKeyId: Uint8Array | undefined;
  /** In milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Uint8Array[];
}

export async function signCertificate(
  unsigned: UnsignedCertificate,
): Promise<Pick<KeyedCertificate, 'certificate' | 'certificatePem'>> {
  const { signer, authorityKeyId } = unsigned;
  const algorithm = SIGNATURE_ALGORITHMS[signer.algorithm];
  const extensions = [
    ...unsigned.extensions,
    ...(authorityKeyId === undefined
      ? []
      : [writeExtension(OID.authorityKeyId, false, writeSequence(writeDer(contextTag(0, false), authorityKeyId)))]),
  ];
  const signed = writeSequence(
    writeDer(contextTag(0, true), writeDer(DER.integer, Uint8Array.of(2))),
    newSerialNumber(),
    algorithm(),
    unsigned.issuerName,
    writeSequence(writeDerTime(unsigned.notBefore), writeDerTime(unsigned.notAfter)),
    unsigned.subject,
    unsigned.spki,
    writeDer(contextTag(3, true), writeSequence(...extensions)),
  );
  const signature = toX509Signature(signer.algorithm, await signBytes(signer, signed));
  const certificate = parseCertificate(writeSequence(signed, algorithm(), writeBitString(signature)));
  if (certificate === undefined) throw new BugError('a certificate of our own making cannot be read');
  return { certificate, certificatePem: formatCertificatePem(certificate) };
}

const SIGNATURE_ALGORITHMS: Readonly<Record<SigningAlgorithm, () => Uint8Array>> = {
  RS256: () => writeSequence(writeOid('1.2.840.113549.1.1.11'), writeDer(DER.null)),
  ES256: () => writeSequence(writeOid('1.2.840.10045.4.3.2')),
  ES384: () => writeSequence(writeOid('1.2.840.10045.4.3.3')),
  ES512: () => writeSequence(writeOid('1.2.840.10045.4.3.4')),
};

/** X.509 encodes an ECDSA signature as a sequence of the two integers r and s (RFC 3279, 2.2.3). */
function toX509Signature(algorithm: SigningAlgorithm, signature: Uint8Array): Uint8Array {
  const half = signatureHalf(algorithm);
  if (half === undefined) return signature;
  return writeSequence(writeUnsigned(signature.subarray(0, half)), writeUnsigned(signature.subarray(half)));
}

/**
 * Makes a serial number of 126 random bits below a fixed one: positive, never zero, within the 20 bytes of RFC 5280,
 * 4.1.2.2.
 */
function newSerialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return writeDer(DER.integer, bytes);
}

/** Returns the leftmost 160 bits of the SHA-256 of the public key's bits (RFC 7093, method 1), as Go does. */
async function keyIdentifier(key: PrivateKey): Promise<Uint8Array> {
  const bits = readBitString(readDerSequence(key.publicKey.spki)?.[1]);
  if (bits === undefined) throw new BugError('the public key is not SubjectPublicKeyInfo');
  return (await keyCrypto.sha256(bits)).slice(0, 20);
}

function writeName(commonName: string, organizations: readonly string[]): Uint8Array {
  const attribute = (oid: string, text: string): Uint8Array =>
    writeDer(DER.set, writeSequence(writeOid(oid), writeDerText(text)));
  return writeSequence(
    ...organizations.map((organization) => attribute(OID.organization, organization)),
    attribute(OID.commonName, commonName),
  );
}

export function writeExtension(oid: string, critical: boolean, value: Uint8Array): Uint8Array {
  const flag = critical ? [writeDer(DER.boolean, Uint8Array.of(0xff))] : [];
  return writeSequence(writeOid(oid), ...flag, writeDer(DER.octetString, value));
}

/** Writes a named bit list: the first bit is the highest, and DER forbids trailing zero bits. */
export function writeKeyUsage(usage: number): Uint8Array {
  const bytes = new Uint8Array(usage > 0xff ? 2 : 1);
  for (let i = 0; i < 16; i++) if ((usage & (1 << i)) !== 0) bytes[i >> 3]! |= 0x80 >> (i & 7);
  let unused = 0;
  while (((bytes.at(-1)! >> unused) & 1) === 0) unused++;
  return writeBitString(bytes, unused);
}
