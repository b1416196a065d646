/** The key that signs ServiceAccount tokens, and the keys that verify them. Invariant: the signing key is among those that verify. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { formatPrivateKeyPem, formatPublicKeyPem, generateKey } from './keys.ts';
import { formatPem, parsePem } from './pem.ts';
import type { Worklist } from './pki-worklist.ts';

export interface ServiceAccountKeys {
  readonly keyPath: string;
  readonly publicKeysPath: string;
  readonly keyPem: string;
  /** Of the signing key and of any older one that an operator added so that its tokens stay valid. */
  readonly publicKeysPem: string;
}

export async function ensureServiceAccountKeys(work: Worklist): Promise<ServiceAccountKeys> {
  const keyPath = work.path('sa.key');
  const publicKeysPath = work.path('sa.pub');
  const keyText = work.text('sa.key');
  const publicText = work.text('sa.pub');
  if (keyText === undefined) {
    if (publicText !== undefined)
      throw new ConfigError(`${keyPath} is missing, the key that belongs to ${publicKeysPath}`);
    const key = await generateKey();
    const made = { keyPem: formatPrivateKeyPem(key), publicKeysPem: formatPublicKeyPem(key.publicKey) };
    work.put('sa.key', made.keyPem);
    work.put('sa.pub', made.publicKeysPem);
    return { keyPath, publicKeysPath, ...made };
  }
  const own = createPublicKey(work.privateKey('sa.key', keyText));
  if (publicText === undefined) {
    const publicKeysPem = String(own.export({ type: 'spki', format: 'pem' }));
    work.put('sa.pub', publicKeysPem);
    return { keyPath, publicKeysPath, keyPem: keyText, publicKeysPem };
  }
  if (!publicKeys(publicText).some((key) => key.equals(own)))
    throw new ConfigError(`${publicKeysPath} does not contain the public part of ${keyPath}`);
  return { keyPath, publicKeysPath, keyPem: keyText, publicKeysPem: publicText };
}

/** Blocks that hold no key are passed over, as by the reader of `--service-account-key-file`. */
function publicKeys(text: string): readonly KeyObject[] {
  return parsePem(text).flatMap(({ type, bytes }) => {
    try {
      return [createPublicKey(formatPem(type, bytes))];
    } catch {
      return [];
    }
  });
}
