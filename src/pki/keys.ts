/**
 * Keys that sign: made, read from PEM, printed to PEM. Invariant: a key is known by the id that the reference computes (base64url of the
 * SHA-256 of its public part in DER), whatever file form it came in, and only RSA and the NIST curves P-256, P-384 and P-521 get through.
 */
import { copyBytes } from '../base/bytes.ts';
import { BugError } from '../base/errors.ts';
import { encodeBase64Url } from './base64url.ts';
import {
  contextTag,
  DER,
  type DerElement,
  readBitString,
  readDerChildren,
  readDerSequence,
  readOid,
  writeDer,
  writeOid,
  writeSequence,
} from './der.ts';
import { formatPem, parsePem } from './pem.ts';

/** Web Crypto's key; named here because the type is no global outside browsers. */
export type CryptoKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

/** The JWS algorithm of a key; each key has exactly one, as in the reference. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

export interface PublicKey {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
  readonly cryptoKey: CryptoKey;
}

export interface PrivateKey {
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: PublicKey;
  readonly pkcs8: Uint8Array;
  readonly cryptoKey: CryptoKey;
}

/** The texts of the reference for a file without a usable key. */
export const NO_PRIVATE_KEY = 'data does not contain a valid RSA or ECDSA private key';
export const NO_PUBLIC_KEYS = 'data does not contain any valid RSA or ECDSA public keys';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const CURVES = [
  { algorithm: 'ES256', oid: '1.2.840.10045.3.1.7', name: 'P-256', hash: 'SHA-256', size: 32 },
  { algorithm: 'ES384', oid: '1.3.132.0.34', name: 'P-384', hash: 'SHA-384', size: 48 },
  { algorithm: 'ES512', oid: '1.3.132.0.35', name: 'P-521', hash: 'SHA-512', size: 66 },
] as const;

type Curve = (typeof CURVES)[number];

function curveOf(algorithm: SigningAlgorithm): Curve | undefined {
  return CURVES.find((curve) => curve.algorithm === algorithm);
}

/** How many bytes each half of an ECDSA signature has; undefined for RSA. */
export function signatureHalf(algorithm: SigningAlgorithm): number | undefined {
  return curveOf(algorithm)?.size;
}

/** A new P-256 key: about a millisecond, where RSA takes hundreds. */
export async function generateKey(): Promise<PrivateKey> {
  const { subtle } = globalThis.crypto;
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const publicKey = await publicKeyFrom(
    'ES256',
    pair.publicKey,
    new Uint8Array(await subtle.exportKey('spki', pair.publicKey)),
  );
  const pkcs8 = new Uint8Array(await subtle.exportKey('pkcs8', pair.privateKey));
  return { algorithm: 'ES256', publicKey, pkcs8, cryptoKey: pair.privateKey };
}

/** A signature over the data: for ECDSA the two halves side by side, as JWS has it. */
export async function signBytes(key: PrivateKey, data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await globalThis.crypto.subtle.sign(signParams(key.algorithm), key.cryptoKey, ownBuffer(data)));
}

/** Whether the signature, in the form that `signBytes` gives, is the key's over the data. */
export async function verifyBytes(key: PublicKey, signature: Uint8Array, data: Uint8Array): Promise<boolean> {
  return globalThis.crypto.subtle.verify(
    signParams(key.algorithm),
    key.cryptoKey,
    ownBuffer(signature),
    ownBuffer(data),
  );
}

/**
 * The first private key of a PEM text in PKCS#8, SEC1 or PKCS#1; other blocks, such as EC PARAMETERS, are passed over. Undefined if there
 * is none (say NO_PRIVATE_KEY then); encrypted keys do not count.
 */
export async function parsePrivateKeyPem(text: string): Promise<PrivateKey | undefined> {
  for (const { type, bytes } of parsePem(text)) {
    if (type !== 'EC PRIVATE KEY' && type !== 'RSA PRIVATE KEY' && type !== 'PRIVATE KEY') continue;
    const key = await importPrivateKey(bytes);
    if (key !== undefined) return key;
  }
  return undefined;
}

/**
 * All keys of a PEM text, for `--service-account-key-file`: public keys, the public part of private keys, the key of certificates, told
 * apart by content and not by the block's name. Empty if there is none (say NO_PUBLIC_KEYS then). Takes one form more than the reference:
 * an EC private key in PKCS#8.
 */
export async function parsePublicKeysPem(text: string): Promise<readonly PublicKey[]> {
  const keys: PublicKey[] = [];
  for (const { bytes } of parsePem(text)) {
    const spki = spkiOf(bytes);
    const key = spki === undefined ? (await importPrivateKey(bytes))?.publicKey : await importPublicKey(spki);
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

/**
 * `traditional`, the default, is the form that the reference writes and reads everywhere (`EC PRIVATE KEY`, `RSA PRIVATE KEY`); `pkcs8` is
 * what most other software prefers (`PRIVATE KEY`).
 */
export function formatPrivateKeyPem(key: PrivateKey, form: 'traditional' | 'pkcs8' = 'traditional'): string {
  if (form === 'pkcs8') return formatPem('PRIVATE KEY', key.pkcs8);
  const inner = readDerSequence(key.pkcs8)?.[2]?.content;
  const curve = curveOf(key.algorithm);
  if (inner === undefined) throw new BugError('a key of ours is not PKCS#8');
  if (curve === undefined) return formatPem('RSA PRIVATE KEY', inner);
  const [version, secret, ...rest] = readDerSequence(inner) ?? [];
  if (version === undefined || secret === undefined) throw new BugError('an EC key of ours holds no SEC1 key');
  // Inside PKCS#8 the curve is named outside; on its own the key must name it.
  const named = writeDer(contextTag(0, true), writeOid(curve.oid));
  const point = rest.find((element) => element.tag === contextTag(1, true));
  const parts = [version.bytes, secret.bytes, named, ...(point === undefined ? [] : [point.bytes])];
  return formatPem('EC PRIVATE KEY', writeSequence(...parts));
}

export function formatPublicKeyPem(key: PublicKey): string {
  return formatPem('PUBLIC KEY', key.spki);
}

/** A public key from SubjectPublicKeyInfo; undefined for another kind of key or a damaged one. */
export async function importPublicKey(spki: Uint8Array): Promise<PublicKey | undefined> {
  const algorithm = algorithmOf(readDerSequence(spki)?.[0]);
  if (algorithm === undefined) return undefined;
  const cryptoKey = await tryImport('spki', spki, algorithm, 'verify');
  return cryptoKey === undefined ? undefined : publicKeyFrom(algorithm, cryptoKey);
}

/** A private key from PKCS#8, SEC1 or PKCS#1 in DER; undefined for anything else. */
export async function importPrivateKey(der: Uint8Array): Promise<PrivateKey | undefined> {
  const pkcs8 = toPkcs8(der);
  if (pkcs8 === undefined) return undefined;
  const algorithm = algorithmOf(readDerSequence(pkcs8)?.[1]);
  if (algorithm === undefined) return undefined;
  const cryptoKey = await tryImport('pkcs8', pkcs8, algorithm, 'sign');
  if (cryptoKey === undefined) return undefined;
  const { subtle } = globalThis.crypto;
  const jwk = await subtle.exportKey('jwk', cryptoKey);
  for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'key_ops'] as const) delete jwk[secret];
  const open = await subtle.importKey('jwk', jwk, importParams(algorithm), true, ['verify']);
  const publicKey = await publicKeyFrom(algorithm, open);
  return { algorithm, publicKey, cryptoKey, pkcs8: new Uint8Array(await subtle.exportKey('pkcs8', cryptoKey)) };
}

async function publicKeyFrom(
  algorithm: SigningAlgorithm,
  cryptoKey: CryptoKey,
  known?: Uint8Array,
): Promise<PublicKey> {
  const { subtle } = globalThis.crypto;
  // Exported even if it was just imported: the id needs the one canonical encoding.
  const spki = known ?? new Uint8Array(await subtle.exportKey('spki', cryptoKey));
  const keyId = encodeBase64Url(new Uint8Array(await subtle.digest('SHA-256', ownBuffer(spki))));
  return { algorithm, keyId, spki, cryptoKey };
}

async function tryImport(
  format: 'spki' | 'pkcs8',
  der: Uint8Array,
  algorithm: SigningAlgorithm,
  usage: 'sign' | 'verify',
): Promise<CryptoKey | undefined> {
  try {
    return await globalThis.crypto.subtle.importKey(format, ownBuffer(der), importParams(algorithm), true, [usage]);
  } catch {
    // Web Crypto reports a damaged key only by throwing; to our callers it is an answer like any other.
    return undefined;
  }
}

/** SubjectPublicKeyInfo out of itself or out of a certificate. */
function spkiOf(der: Uint8Array): Uint8Array | undefined {
  const children = readDerSequence(der);
  if (children?.length === 2 && readBitString(children[1]) !== undefined) return der;
  if (children?.length !== 3 || children[0]?.tag !== DER.sequence || children[2]?.tag !== DER.bitString)
    return undefined;
  const fields = readDerChildren(children[0].content) ?? [];
  // serial, signature, issuer, validity, subject, key; the version before them is optional.
  return fields[fields[0]?.tag === contextTag(0, true) ? 6 : 5]?.bytes;
}

function toPkcs8(der: Uint8Array): Uint8Array | undefined {
  const children = readDerSequence(der);
  if (children?.[0]?.tag !== DER.integer) return undefined;
  const second = children[1]?.tag;
  if (second === DER.sequence) return der;
  const version = writeDer(DER.integer, Uint8Array.of(0));
  if (second === DER.integer) {
    const rsa = writeSequence(writeOid(RSA), writeDer(DER.null));
    return writeSequence(version, rsa, writeDer(DER.octetString, der));
  }
  const named = children.find((element) => element.tag === contextTag(0, true));
  const curve = named === undefined ? undefined : readDerChildren(named.content)?.[0];
  if (second !== DER.octetString || curve === undefined) return undefined;
  return writeSequence(version, writeSequence(writeOid(EC), curve.bytes), writeDer(DER.octetString, der));
}

function algorithmOf(identifier: DerElement | undefined): SigningAlgorithm | undefined {
  const [kind, parameters] = identifier?.tag === DER.sequence ? (readDerChildren(identifier.content) ?? []) : [];
  const oid = readOid(kind);
  if (oid === RSA) return 'RS256';
  const curve = oid === EC ? readOid(parameters) : undefined;
  return CURVES.find((known) => known.oid === curve)?.algorithm;
}

function importParams(
  algorithm: SigningAlgorithm,
): { name: 'ECDSA'; namedCurve: string } | { name: 'RSASSA-PKCS1-v1_5'; hash: string } {
  const curve = curveOf(algorithm);
  return curve === undefined
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : { name: 'ECDSA', namedCurve: curve.name };
}

function signParams(algorithm: SigningAlgorithm): { name: 'ECDSA'; hash: string } | { name: 'RSASSA-PKCS1-v1_5' } {
  const curve = curveOf(algorithm);
  return curve === undefined ? { name: 'RSASSA-PKCS1-v1_5' } : { name: 'ECDSA', hash: curve.hash };
}

/** Web Crypto's types refuse views of shared memory; a copy is always of our own. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : (copyBytes(bytes) as Uint8Array<ArrayBuffer>);
}
