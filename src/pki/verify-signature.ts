/**
 * Signature verification by Web Crypto, for certificate requests. Web Crypto implements every algorithm that Go's x509
 * accepts, except for ECDSA on P-224. Error texts are Go's.
 */
import { DER } from './der.ts';
import {
  SIGNATURE_FAILURE,
  type SignatureKey,
  type SignatureMethod,
  type SignedBytes,
  signatureMethod,
  UNIMPLEMENTED,
} from './x509/check-signature.ts';
import { DerReader } from './x509/der-reader.ts';

/**
 * Checks that a certificate request was signed with this key. Returns undefined if so, otherwise Go's error text. As in
 * Go, requests may be signed with SHA-1.
 */
export async function requestSignatureProblem(signed: SignedBytes, key: SignatureKey): Promise<string | undefined> {
  const method = signatureMethod(signed.signatureScheme, key.publicKey, { allowsSha1: true });
  if (typeof method === 'string') return method;
  if (method.algorithm === 'ECDSA' && method.curve.name === 'P-224') return UNIMPLEMENTED;
  return (await verify(method, key.spki, signed)) ? undefined : SIGNATURE_FAILURE[method.algorithm];
}

async function verify(method: SignatureMethod, spki: Uint8Array, signed: SignedBytes): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const signature =
    method.algorithm === 'ECDSA' ? rawEcdsaSignature(signed.signature, method.curve.size) : signed.signature;
  if (signature === undefined) return false;
  const params = paramsOf(method);
  const key = await subtle.importKey('spki', Uint8Array.from(spki), params, false, ['verify']).catch(() => undefined);
  if (key === undefined) return false;
  return subtle.verify(params, key, Uint8Array.from(signature), Uint8Array.from(signed.signedBytes));
}

interface VerifyParams {
  readonly name: string;
  readonly hash: string;
  readonly namedCurve: string;
  readonly saltLength: number;
}

/** Web Crypto ignores the parameters that an algorithm does not have. */
function paramsOf(method: SignatureMethod): VerifyParams {
  if (method.algorithm === 'Ed25519') return { name: 'Ed25519', hash: '', namedCurve: '', saltLength: 0 };
  const { hash } = method;
  if (method.algorithm === 'ECDSA') return { name: 'ECDSA', hash, namedCurve: method.curve.name, saltLength: 0 };
  const name = method.isPss ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
  return { name, hash, namedCurve: '', saltLength: SALT_LENGTHS[hash] };
}

/** The length of each hash in bytes. */
const SALT_LENGTHS = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 } as const;

/** Converts an ECDSA signature from DER to the concatenation of r and s; undefined if it is malformed. */
export function rawEcdsaSignature(der: Uint8Array, half: number): Uint8Array<ArrayBuffer> | undefined {
  const outer = new DerReader(der);
  const halves = outer.enter(DER.sequence);
  const signature = new Uint8Array(2 * half);
  for (const end of [half, 2 * half]) {
    const integer = halves?.readInteger();
    if (integer === undefined || (integer[0] as number) >= 0x80) return undefined;
    const digits = integer[0] === 0 ? integer.subarray(1) : integer;
    if (digits.length > half) return undefined;
    signature.set(digits, end - digits.length);
  }
  return outer.isEmpty && halves?.isEmpty === true ? signature : undefined;
}
