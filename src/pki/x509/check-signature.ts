/**
 * The rules about signatures of certificates and certificate requests: which algorithms are accepted for which keys.
 * The computation itself is a parameter, because TLS needs it synchronously and Web Crypto is asynchronous. Messages
 * are Go's.
 */
import type { Curve } from './curves.ts';
import type { PublicKeyDetails } from './public-key.ts';
import type { KeyAlgorithm, SignatureScheme } from './signature-scheme.ts';

export interface SignedBytes {
  /** The bytes that the signature covers. */
  readonly signedBytes: Uint8Array;
  /** Undefined for an algorithm that Go does not know. */
  readonly signatureScheme: SignatureScheme | undefined;
  readonly signature: Uint8Array;
}

export interface SignatureKey {
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
  /** Undefined for an algorithm that Go does not know. */
  readonly publicKey: PublicKeyDetails | undefined;
}

export type SignatureHash = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';

/** The computation that verifies a signature. */
export type SignatureMethod =
  | { readonly algorithm: 'RSA'; readonly hash: SignatureHash; readonly isPss: boolean }
  | { readonly algorithm: 'ECDSA'; readonly hash: SignatureHash; readonly curve: Curve }
  | { readonly algorithm: 'Ed25519' };

/** Go's messages for a signature that does not verify. */
export const SIGNATURE_FAILURE: Readonly<Record<SignatureMethod['algorithm'], string>> = {
  RSA: 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
};

export const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';

const GO_TYPES: Readonly<Record<Exclude<KeyAlgorithm, 'DSA'>, string>> = {
  RSA: '*rsa.PublicKey',
  ECDSA: '*ecdsa.PublicKey',
  Ed25519: 'ed25519.PublicKey',
};

/**
 * Returns how to verify a signature of this scheme with this key, or Go's message if it is not accepted whatever its
 * bytes are. SHA-1 is accepted in certificate requests only, MD5 never.
 */
export function signatureMethod(
  scheme: SignatureScheme | undefined,
  key: PublicKeyDetails | undefined,
  { allowsSha1 }: { readonly allowsSha1: boolean },
): SignatureMethod | string {
  if (scheme === undefined) return UNIMPLEMENTED;
  const { hash } = scheme;
  if (hash === 'MD5' || (hash === 'SHA-1' && !allowsSha1))
    return `x509: cannot verify signature: insecure algorithm ${scheme.name}`;
  if (key === undefined || key.algorithm === 'DSA') return UNIMPLEMENTED;
  if (key.algorithm !== scheme.key)
    return `x509: signature algorithm specifies an ${scheme.key} public key, but have public key of type ${GO_TYPES[key.algorithm]}`;
  if (key.algorithm === 'Ed25519' || hash === '') return { algorithm: 'Ed25519' };
  if (key.algorithm === 'ECDSA') return { algorithm: 'ECDSA', hash, curve: key.curve };
  return key.problem ?? { algorithm: 'RSA', hash, isPss: scheme.isPss };
}

/** Verifies a signature. Returns false, and never throws, for malformed keys and signatures. */
export type VerifySignature = (method: SignatureMethod, key: SignatureKey, signed: SignedBytes) => boolean;
