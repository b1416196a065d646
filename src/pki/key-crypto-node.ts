/** The operations on keys by node:crypto. All but RSA signatures are synchronous: waking a thread takes longer. */
import type * as NodeCrypto from 'node:crypto';
import type { KeyCrypto, PrivateHandle, PublicHandle, SigningAlgorithm } from './key-crypto.ts';

const HASHES: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};

/** The module is a parameter because code that runs in browsers, too, cannot import it. */
export function nodeKeyCrypto(crypto: typeof NodeCrypto): KeyCrypto {
  const publicOf = (handle: NodeCrypto.KeyObject): PublicHandle => ({
    handle,
    spki: new Uint8Array(handle.export({ type: 'spki', format: 'der' })),
  });
  const privateOf = (handle: NodeCrypto.KeyObject, publicKey: NodeCrypto.KeyObject): PrivateHandle => ({
    handle,
    pkcs8: new Uint8Array(handle.export({ type: 'pkcs8', format: 'der' })),
    publicKey: publicOf(publicKey),
  });
  /** OpenSSL reads an EC key whose secret does not belong to its point. Its signatures do not verify. */
  const isPair = (handle: NodeCrypto.KeyObject, publicKey: NodeCrypto.KeyObject): boolean => {
    if (handle.asymmetricKeyType !== 'ec') return true;
    const data = new Uint8Array(1);
    return crypto.verify('sha256', data, publicKey, crypto.sign('sha256', data, handle));
  };
  return {
    generate: async () => {
      const { privateKey, publicKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return privateOf(privateKey, publicKey);
    },
    readPublic: async (spki) =>
      wellFormed(() => publicOf(crypto.createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }))),
    readPrivate: async (pkcs8) =>
      wellFormed(() => {
        const handle = crypto.createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
        const publicKey = crypto.createPublicKey(handle);
        return isPair(handle, publicKey) ? privateOf(handle, publicKey) : undefined;
      }),
    sign: async (key, algorithm, data) => {
      const handle = key as NodeCrypto.KeyObject;
      if (algorithm !== 'RS256') return crypto.sign(HASHES[algorithm], data, withForm(handle));
      return new Promise((resolve, reject) => {
        crypto.sign(HASHES[algorithm], data, handle, (error, signature) =>
          error === null ? resolve(signature) : reject(error),
        );
      });
    },
    verify: async (key, algorithm, signature, data) =>
      crypto.verify(HASHES[algorithm], data, withForm(key as NodeCrypto.KeyObject), signature),
    jwk: async (key) => (key as NodeCrypto.KeyObject).export({ format: 'jwk' }),
    sha256: async (data) => new Uint8Array(crypto.createHash('sha256').update(data).digest()),
  };
}

/** Selects the form of ECDSA signatures. It has no effect on RSA. */
function withForm(key: NodeCrypto.KeyObject): { key: NodeCrypto.KeyObject; dsaEncoding: 'ieee-p1363' } {
  return { key, dsaEncoding: 'ieee-p1363' };
}

/** OpenSSL reports a malformed key only by throwing. Callers handle it as an ordinary result. */
function wellFormed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
