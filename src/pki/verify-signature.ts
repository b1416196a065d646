/**
 * Signature verification for certificates and certificate requests. Supports the algorithms that both Go's x509 accepts
 * and Web Crypto implements. Error texts are Go's.
 */
import { readDerSequence, readOid, readUnsigned } from './der.ts';
import { type CryptoKey, importPublicKey, signatureHalf } from './keys.ts';

export interface SignedBytes {
  readonly signedBytes: Uint8Array;
  /** An object identifier. */
  readonly signatureAlgorithm: string;
  readonly signature: Uint8Array;
}

const SIGNATURES: Readonly<Record<string, { family: 'ECDSA' | 'RSA'; hash: string }>> = {
  '1.2.840.113549.1.1.11': { family: 'RSA', hash: 'SHA-256' },
  '1.2.840.113549.1.1.12': { family: 'RSA', hash: 'SHA-384' },
  '1.2.840.113549.1.1.13': { family: 'RSA', hash: 'SHA-512' },
  '1.2.840.10045.4.3.2': { family: 'ECDSA', hash: 'SHA-256' },
  '1.2.840.10045.4.3.3': { family: 'ECDSA', hash: 'SHA-384' },
  '1.2.840.10045.4.3.4': { family: 'ECDSA', hash: 'SHA-512' },
};
const ED25519 = '1.3.101.112';
const UNIMPLEMENTED = 'x509: cannot verify signature: algorithm unimplemented';
const ECDSA_FAILURE = 'x509: ECDSA verification failure';

/**
 * Checks that the bytes were signed with the key of this SubjectPublicKeyInfo. Returns undefined if so, otherwise Go's
 * error text.
 */
export async function signatureProblem(signed: SignedBytes, spki: Uint8Array): Promise<string | undefined> {
  if (signed.signatureAlgorithm === ED25519) return ed25519Problem(signed, spki);
  const scheme = SIGNATURES[signed.signatureAlgorithm];
  const key = await importPublicKey(spki);
  const half = key === undefined ? undefined : signatureHalf(key.algorithm);
  if (scheme === undefined || key === undefined || (scheme.family === 'RSA') !== (half === undefined))
    return UNIMPLEMENTED;
  const { subtle } = globalThis.crypto;
  const data = Uint8Array.from(signed.signedBytes);
  if (half === undefined) {
    const params = { name: 'RSASSA-PKCS1-v1_5', hash: scheme.hash };
    // Web Crypto binds an imported RSA key to one hash.
    const bound: CryptoKey = await subtle.importKey('spki', Uint8Array.from(key.spki), params, false, ['verify']);
    const good = await subtle.verify(params, bound, Uint8Array.from(signed.signature), data);
    return good ? undefined : 'crypto/rsa: verification error';
  }
  const signature = rawEcdsaSignature(signed.signature, half);
  if (signature === undefined) return ECDSA_FAILURE;
  const good = await subtle.verify({ name: 'ECDSA', hash: scheme.hash }, key.cryptoKey, signature, data);
  return good ? undefined : ECDSA_FAILURE;
}

/**
 * Converts an ECDSA signature from DER to Web Crypto's form, the concatenation of r and s; undefined if it is
 * malformed.
 */
export function rawEcdsaSignature(der: Uint8Array, half: number): Uint8Array<ArrayBuffer> | undefined {
  const halves = (readDerSequence(der) ?? []).map((element) => readUnsigned(element, half));
  const [r, s] = halves;
  if (halves.length !== 2 || r === undefined || s === undefined) return undefined;
  const signature = new Uint8Array(2 * half);
  signature.set(r);
  signature.set(s, half);
  return signature;
}

async function ed25519Problem(signed: SignedBytes, spki: Uint8Array): Promise<string | undefined> {
  const [algorithm] = readDerSequence(spki) ?? [];
  if (readOid(readDerSequence(algorithm?.bytes ?? spki)?.[0]) !== ED25519) return UNIMPLEMENTED;
  const { subtle } = globalThis.crypto;
  const name = 'Ed25519';
  const key = await subtle.importKey('spki', Uint8Array.from(spki), { name }, false, ['verify']).catch(() => undefined);
  if (key === undefined) return UNIMPLEMENTED;
  const good = await subtle.verify(
    { name },
    key,
    Uint8Array.from(signed.signature),
    Uint8Array.from(signed.signedBytes),
  );
  return good ? undefined : 'x509: Ed25519 verification failure';
}
