/** The operations on keys by Web Crypto, for runtimes without node:crypto. */
import { copyBytes } from '../base/bytes.ts';
import type { KeyCrypto, PrivateHandle, PublicHandle, SigningAlgorithm } from './key-crypto.ts';

/** Web Crypto's key type, which is not a global outside of browsers. */
type CryptoKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

const CURVES: Readonly<Record<Exclude<SigningAlgorithm, 'RS256'>, { readonly name: string; readonly hash: string }>> = {
  ES256: { name: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'P-384', hash: 'SHA-384' },
  ES512: { name: 'P-521', hash: 'SHA-512' },
};

export const webKeyCrypto: KeyCrypto = {
  async generate() {
    const { subtle } = globalThis.crypto;
    const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    return privateOf(pair.privateKey, pair.publicKey);
  },

  async readPublic(spki, algorithm) {
    const key = await tryImport('spki', spki, algorithm, 'verify');
    return key === undefined ? undefined : publicOf(key);
  },

  async readPrivate(pkcs8, algorithm) {
    const key = await tryImport('pkcs8', pkcs8, algorithm, 'sign');
    if (key === undefined) return undefined;
    const { subtle } = globalThis.crypto;
    const jwk = await subtle.exportKey('jwk', key);
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'key_ops'] as const) delete jwk[secret];
    return privateOf(key, await subtle.importKey('jwk', jwk, importParams(algorithm), true, ['verify']));
  },

  async sign(key, algorithm, data) {
    const { subtle } = globalThis.crypto;
    return new Uint8Array(await subtle.sign(signParams(algorithm), key as CryptoKey, ownBuffer(data)));
  },

  verify: (key, algorithm, signature, data) =>
    globalThis.crypto.subtle.verify(signParams(algorithm), key as CryptoKey, ownBuffer(signature), ownBuffer(data)),

  jwk: (key) => globalThis.crypto.subtle.exportKey('jwk', key as CryptoKey),

  sha256: async (data) => new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', ownBuffer(data))),
};

async function privateOf(key: CryptoKey, publicKey: CryptoKey): Promise<PrivateHandle> {
  const pkcs8 = new Uint8Array(await globalThis.crypto.subtle.exportKey('pkcs8', key));
  return { handle: key, pkcs8, publicKey: await publicOf(publicKey) };
}

async function publicOf(key: CryptoKey): Promise<PublicHandle> {
  return { handle: key, spki: new Uint8Array(await globalThis.crypto.subtle.exportKey('spki', key)) };
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
    // Web Crypto reports a malformed key only by throwing. Callers handle it as an ordinary result.
    return undefined;
  }
}

function importParams(
  algorithm: SigningAlgorithm,
): { name: 'ECDSA'; namedCurve: string } | { name: 'RSASSA-PKCS1-v1_5'; hash: string } {
  return algorithm === 'RS256'
    ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    : { name: 'ECDSA', namedCurve: CURVES[algorithm].name };
}

function signParams(algorithm: SigningAlgorithm): { name: 'ECDSA'; hash: string } | { name: 'RSASSA-PKCS1-v1_5' } {
  return algorithm === 'RS256' ? { name: 'RSASSA-PKCS1-v1_5' } : { name: 'ECDSA', hash: CURVES[algorithm].hash };
}

/** Web Crypto's types do not accept views of shared memory, so those are copied. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : (copyBytes(bytes) as Uint8Array<ArrayBuffer>);
}
