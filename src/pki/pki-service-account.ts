/**
 * The key file that signs ServiceAccount tokens and the file of public keys that verify them.
 * Invariant: the public keys include that of the signing key.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { formatPrivateKeyPem, formatPublicKeyPem, generateKey } from './keys.ts';
import { formatPem, parsePem } from './pem.ts';
import type { PkiFiles } from './pki-files.ts';

export interface ServiceAccountKeys {
  readonly keyPath: string;
  readonly publicKeysPath: string;
  readonly keyPem: string;
  /** The public keys of the signing key and of older keys, which an operator adds so that their tokens stay valid. */
  readonly publicKeysPem: string;
}

/**
 * Loads both files and creates what is missing. Throws ConfigError naming a file that is malformed or does not match
 * the other.
 */
export async function ensureServiceAccountKeys(files: PkiFiles): Promise<ServiceAccountKeys> {
  const keyPath = files.path('sa.key');
  const publicKeysPath = files.path('sa.pub');
  const keyText = files.text('sa.key');
  const publicText = files.text('sa.pub');
  if (keyText === undefined) {
    if (publicText !== undefined)
      throw new ConfigError(`${keyPath} is missing, the key that belongs to ${publicKeysPath}`);
    const key = await generateKey();
    const made = { keyPem: formatPrivateKeyPem(key), publicKeysPem: formatPublicKeyPem(key.publicKey) };
    files.put('sa.key', made.keyPem);
    files.put('sa.pub', made.publicKeysPem);
    return { keyPath, publicKeysPath, ...made };
  }
  const own = createPublicKey(files.privateKey('sa.key', keyText));
  if (publicText === undefined) {
    const publicKeysPem = String(own.export({ type: 'spki', format: 'pem' }));
    files.put('sa.pub', publicKeysPem);
    return { keyPath, publicKeysPath, keyPem: keyText, publicKeysPem };
  }
  if (!publicKeys(publicText).some((key) => key.equals(own)))
    throw new ConfigError(`${publicKeysPath} does not contain the public part of ${keyPath}`);
  return { keyPath, publicKeysPath, keyPem: keyText, publicKeysPem: publicText };
}

/** Parses the public keys of a PEM text. Ignores other blocks, as the reader of `--service-account-key-file` does. */
function publicKeys(text: string): readonly KeyObject[] {
  return parsePem(text).flatMap(({ type, bytes }) => {
    try {
      return [createPublicKey(formatPem(type, bytes))];
    } catch {
      return [];
    }
  });
}
