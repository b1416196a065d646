/**
 * Signing keys: generated, parsed from PEM and formatted as PEM. Supports RSA and the NIST curves P-256, P-384 and
 * P-521; parsers ignore every other key.
 * Invariant: a key's id does not depend on its file format. It is the reference's: base64url of the SHA-256 of the
 * public key in DER.
 */
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
import type { KeyHandle, PrivateHandle, PublicHandle, SigningAlgorithm } from './key-crypto.ts';
import { formatPem, parsePem } from './pem.ts';
import { keyCrypto } from './runtime-key-crypto.ts';

export type { SigningAlgorithm };

export interface PublicKey {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
  /** For `keyCrypto`. */
  readonly handle: KeyHandle;
}

export interface PrivateKey {
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: PublicKey;
  readonly pkcs8: Uint8Array;
  /** For `keyCrypto`. */
  readonly handle: KeyHandle;
}

/** The reference's texts for a file without a usable key. */
export const NO_PRIVATE_KEY = 'data does not contain a valid RSA or ECDSA private key';
export const NO_PUBLIC_KEYS = 'data does not contain any valid RSA or ECDSA public keys';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const CURVES = [
  { algorithm: 'ES256', oid: '1.2.840.10045.3.1.7', size: 32 },
  { algorithm: 'ES384', oid: '1.3.132.0.34', size: 48 },
  { algorithm: 'ES512', oid: '1.3.132.0.35', size: 66 },
] as const;

type Curve = (typeof CURVES)[number];

function curveOf(algorithm: SigningAlgorithm): Curve | undefined {
  return CURVES.find((curve) => curve.algorithm === algorithm);
}

/** Returns the length in bytes of each of the two integers of an ECDSA signature; undefined for RSA. */
export function signatureHalf(algorithm: SigningAlgorithm): number | undefined {
  return curveOf(algorithm)?.size;
}

/** Generates a P-256 key, in about a millisecond. RSA would take hundreds. */
export async function generateKey(): Promise<PrivateKey> {
  return privateKeyFrom('ES256', await keyCrypto.generate());
}

/** Signs the data. An ECDSA signature is the concatenation of r and s, as in JWS. */
export function signBytes({ algorithm, handle }: PrivateKey, data: Uint8Array): Promise<Uint8Array> {
  return keyCrypto.sign(handle, algorithm, data);
}

/** Returns whether the key made this signature over the data. The signature has the form that `signBytes` returns. */
export function verifyBytes(key: PublicKey, signature: Uint8Array, data: Uint8Array): Promise<boolean> {
  return keyCrypto.verify(key.handle, key.algorithm, signature, data);
}

/**
 * Parses the first private key of a PEM text, in PKCS#8, SEC1 or PKCS#1. Ignores other blocks, such as EC PARAMETERS,
 * and encrypted keys. Returns undefined if there is none; NO_PRIVATE_KEY is the message for that.
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
 * Parses all keys of a PEM text, for `--service-account-key-file`: public keys, the public part of private keys, and
 * the keys of certificates. The content of a block decides which it is, not the block's name. Returns an empty list if
 * there is none; NO_PUBLIC_KEYS is the message for that. Accepts one form more than the reference: an EC private key in
 * PKCS#8.
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
 * Formats a private key. `traditional`, the default, is the form that the reference writes and always reads (`EC
 * PRIVATE KEY`, `RSA PRIVATE KEY`). `pkcs8` is the form that most other software prefers (`PRIVATE KEY`).
 */
export function formatPrivateKeyPem(key: PrivateKey, form: 'traditional' | 'pkcs8' = 'traditional'): string {
  if (form === 'pkcs8') return formatPem('PRIVATE KEY', key.pkcs8);
  const inner = readDerSequence(key.pkcs8)?.[2]?.content;
  const curve = curveOf(key.algorithm);
  if (inner === undefined) throw new BugError('the private key is not in PKCS#8');
  if (curve === undefined) return formatPem('RSA PRIVATE KEY', inner);
  const [version, secret, ...rest] = readDerSequence(inner) ?? [];
  if (version === undefined || secret === undefined) throw new BugError('the PKCS#8 key contains no SEC1 key');
  // PKCS#8 names the curve outside of the SEC1 key. A SEC1 key on its own must name it.
  const named = writeDer(contextTag(0, true), writeOid(curve.oid));
  const point = rest.find((element) => element.tag === contextTag(1, true));
  const parts = [version.bytes, secret.bytes, named, ...(point === undefined ? [] : [point.bytes])];
  return formatPem('EC PRIVATE KEY', writeSequence(...parts));
}

export function formatPublicKeyPem(key: PublicKey): string {
  return formatPem('PUBLIC KEY', key.spki);
}

/** Imports a public key from SubjectPublicKeyInfo; undefined for an unsupported type or a malformed key. */
export async function importPublicKey(spki: Uint8Array): Promise<PublicKey | undefined> {
  const algorithm = algorithmOf(readDerSequence(spki)?.[0]);
  if (algorithm === undefined) return undefined;
  const key = await keyCrypto.readPublic(spki, algorithm);
  return key === undefined ? undefined : publicKeyFrom(algorithm, key);
}

/** Imports a private key from PKCS#8, SEC1 or PKCS#1 in DER; undefined for anything else. */
export async function importPrivateKey(der: Uint8Array): Promise<PrivateKey | undefined> {
  const pkcs8 = toPkcs8(der);
  if (pkcs8 === undefined) return undefined;
  const algorithm = algorithmOf(readDerSequence(pkcs8)?.[1]);
  if (algorithm === undefined) return undefined;
  const key = await keyCrypto.readPrivate(pkcs8, algorithm);
  return key === undefined ? undefined : privateKeyFrom(algorithm, key);
}

async function privateKeyFrom(algorithm: SigningAlgorithm, key: PrivateHandle): Promise<PrivateKey> {
  const { handle, pkcs8 } = key;
  return { algorithm, publicKey: await publicKeyFrom(algorithm, key.publicKey), pkcs8, handle };
}

async function publicKeyFrom(algorithm: SigningAlgorithm, { handle, spki }: PublicHandle): Promise<PublicKey> {
  return { algorithm, keyId: encodeBase64Url(await keyCrypto.sha256(spki)), spki, handle };
}

/** Returns the SubjectPublicKeyInfo of a public key or of a certificate. */
function spkiOf(der: Uint8Array): Uint8Array | undefined {
  const children = readDerSequence(der);
  if (children?.length === 2 && readBitString(children[1]) !== undefined) return der;
  if (children?.length !== 3 || children[0]?.tag !== DER.sequence || children[2]?.tag !== DER.bitString)
    return undefined;
  const fields = readDerChildren(children[0].content) ?? [];
  // Fields: optional version, serial, signature, issuer, validity, subject, key.
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
