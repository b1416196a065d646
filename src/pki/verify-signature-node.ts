/** Signature verification by Node, which is synchronous, for the certificates of TLS peers. */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { rawEcdsaSignature } from './verify-signature.ts';
import type { SignatureHash, SignatureKey, SignatureMethod, SignedBytes } from './x509/check-signature.ts';

/** Keys that were used. An authority verifies many certificates. */
const keys = new WeakMap<SignatureKey, KeyObject>();

/** Returns false, and never throws, for malformed keys and signatures. */
export function verifySignature(method: SignatureMethod, key: SignatureKey, signed: SignedBytes): boolean {
  try {
    return verifyWith(method, keyObjectOf(key), signed);
  } catch {
    // OpenSSL reports a key that it cannot use only by an exception. Such a key verifies nothing.
    return false;
  }
}

function keyObjectOf(key: SignatureKey): KeyObject {
  let object = keys.get(key);
  if (object === undefined) {
    object = createPublicKey({ key: Buffer.from(key.spki), format: 'der', type: 'spki' });
    keys.set(key, object);
  }
  return object;
}

function verifyWith(method: SignatureMethod, key: KeyObject, { signedBytes, signature }: SignedBytes): boolean {
  switch (method.algorithm) {
    case 'Ed25519':
      return verify(null, signedBytes, key, signature);
    case 'ECDSA': {
      const raw = rawEcdsaSignature(signature, method.curve.size);
      return raw !== undefined && verify(digestOf(method), signedBytes, { key, dsaEncoding: 'ieee-p1363' }, raw);
    }
    case 'RSA': {
      const padding = method.isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
      const saltLength = method.isPss ? { saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : undefined;
      return verify(digestOf(method), signedBytes, { key, padding, ...saltLength }, signature);
    }
  }
}

/** OpenSSL's name of the hash. */
function digestOf({ hash }: { readonly hash: SignatureHash }): string {
  return hash.replace('-', '').toLowerCase();
}
