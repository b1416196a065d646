/**
 * The encryption providers with local keys: aescbc, aesgcm and secretbox. A stored value begins with
 * `k8s:enc:<provider>:v1:`, the name of its key and a colon. A random nonce and the encrypted bytes follow.
 * Invariant: kube-apiserver and this file can decrypt each other's values.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import { type CipherName, type EncryptionKey, type Opened, type Provider, startsWith } from './provider.ts';
import { openSecretbox, SECRETBOX_NONCE, SECRETBOX_TAG, sealSecretbox } from './secretbox.ts';

/** A cipher with its key. `path` is the key of the value in etcd, which aesgcm authenticates. */
export interface Cipher {
  seal(plain: Uint8Array, path: string): Uint8Array;
  /** Returns undefined if there are too few bytes. Throws if the bytes were not encrypted with this key. */
  open(sealed: Uint8Array, path: string): Uint8Array | undefined;
}

/** Creates a provider from one or more keys, whose lengths must be in KEY_LENGTHS. */
export function createCipherProvider(name: CipherName, keys: readonly EncryptionKey[]): Provider {
  const start = `k8s:enc:${name}:v1:`;
  const ciphers = keys.map((key) => ({
    keyPrefix: `${key.name}:`,
    prefix: encodeUtf8(`${start}${key.name}:`),
    cipher: CIPHERS[name](key.secret),
  }));
  const [first] = ciphers;
  return {
    prefix: start,
    keyPrefix: first!.keyPrefix,
    seal: (plain, path) => concatBytes([first!.prefix, first!.cipher.seal(plain, path)]),
    open: (stored, path) => {
      let failure: Opened = { outcome: 'other' };
      for (const [i, { prefix, cipher, keyPrefix }] of ciphers.entries()) {
        if (!startsWith(stored, prefix)) continue;
        const value = openWith(cipher, stored.subarray(prefix.byteLength), path);
        if (typeof value !== 'string') return { outcome: 'ok', value, isFirstKey: i === 0, keyPrefix };
        // Two keys may have the same name, so the loop tries the other keys, too.
        failure = { outcome: 'failed', reason: value, keyPrefix };
      }
      return failure;
    },
  };
}

/** Decrypts a value. On failure, returns the reason as a string. */
export function openWith(cipher: Cipher, sealed: Uint8Array, path: string): Uint8Array | string {
  try {
    return cipher.open(sealed, path) ?? 'the stored data was shorter than the required size';
  } catch (caught) {
    return toError(caught).message;
  }
}

const CIPHERS: Readonly<Record<CipherName, (secret: Uint8Array) => Cipher>> = { aescbc, aesgcm, secretbox };
const BLOCK = 16;
const GCM_NONCE = 12;
const GCM_TAG = 16;

function aescbc(secret: Uint8Array): Cipher {
  const algorithm = `aes-${secret.byteLength * 8}-cbc`;
  return {
    seal: (plain) => {
      const nonce = randomBytes(BLOCK);
      const cipher = createCipheriv(algorithm, secret, nonce);
      return concatBytes([nonce, cipher.update(plain), cipher.final()]);
    },
    open: (sealed) => {
      if (sealed.byteLength < 2 * BLOCK) return undefined;
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, BLOCK));
      return concatBytes([decipher.update(sealed.subarray(BLOCK)), decipher.final()]);
    },
  };
}

export function aesgcm(secret: Uint8Array): Cipher {
  const algorithm = `aes-${secret.byteLength * 8}-gcm` as 'aes-256-gcm';
  return {
    seal: (plain, path) => {
      const nonce = randomBytes(GCM_NONCE);
      const cipher = createCipheriv(algorithm, secret, nonce);
      cipher.setAAD(encodeUtf8(path));
      return concatBytes([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, path) => {
      if (sealed.byteLength < GCM_NONCE + GCM_TAG) return undefined;
      const end = sealed.byteLength - GCM_TAG;
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, GCM_NONCE));
      decipher.setAAD(encodeUtf8(path));
      decipher.setAuthTag(sealed.subarray(end));
      return concatBytes([decipher.update(sealed.subarray(GCM_NONCE, end)), decipher.final()]);
    },
  };
}

function secretbox(secret: Uint8Array): Cipher {
  return {
    seal: (plain) => {
      const nonce = randomBytes(SECRETBOX_NONCE);
      return concatBytes([nonce, sealSecretbox(plain, nonce, secret)]);
    },
    open: (sealed) => {
      if (sealed.byteLength < SECRETBOX_NONCE + SECRETBOX_TAG) return undefined;
      return openSecretbox(sealed.subarray(SECRETBOX_NONCE), sealed.subarray(0, SECRETBOX_NONCE), secret);
    },
  };
}
