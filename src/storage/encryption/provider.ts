/** The interface of encryption providers, and the one that does not encrypt. */
import { encodeUtf8, equalBytes } from '../../base/bytes.ts';

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

export type CipherName = 'aescbc' | 'aesgcm' | 'secretbox';

/** The lengths of keys in bytes that a provider takes. */
export const KEY_LENGTHS: Readonly<Record<CipherName, readonly number[]>> = {
  aescbc: [16, 24, 32],
  aesgcm: [16, 24, 32],
  secretbox: [32],
};

export type Opened =
  | { readonly outcome: 'ok'; readonly value: Uint8Array; readonly isFirstKey: boolean }
  /** The value does not have the prefix of the provider, or of any of its keys. */
  | { readonly outcome: 'other' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** A provider with its keys: the first one encrypts, all of them decrypt. `path` is the key of the value in etcd. */
export interface Provider {
  seal(plain: Uint8Array, path: string): Uint8Array;
  open(stored: Uint8Array, path: string): Opened;
}

/** Makes a provider of at least one key, each of a length in KEY_LENGTHS. */
export type CreateProvider = (name: CipherName, keys: readonly EncryptionKey[]) => Provider;

const ENCRYPTED = encodeUtf8('k8s:enc:');

/** Values as they are. It does not take encrypted ones: another provider may be able to decrypt them. */
export const IDENTITY: Provider = {
  seal: (plain) => plain,
  open: (stored) =>
    startsWith(stored, ENCRYPTED) ? { outcome: 'other' } : { outcome: 'ok', value: stored, isFirstKey: true },
};

export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, prefix.byteLength), prefix);
}
