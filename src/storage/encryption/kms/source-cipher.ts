/**
 * The ciphers of the values of a KMS provider. Every value has its own key: HKDF-Expand with SHA-256 (RFC 5869, section
 * 2.3) of the seed and 32 random bytes, which are stored in front of the value. A nonce of AES-GCM is therefore never
 * used twice with one key, whatever the number of values.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { concatBytes } from '../../../base/bytes.ts';
import { StorageError } from '../../errors.ts';
import { aesgcm, type Cipher } from '../cipher-provider.ts';
import { SOURCE_TYPES } from './encrypted-object.ts';

export const SEED_BYTES = 32;
const INFO_BYTES = 32;
const AES_KEY_BYTES = [16, 24, 32];

/** Returns the cipher for a decrypted source. Throws StorageError(Corrupt) if the source has a wrong length. */
export function sourceCipher(type: number, secret: Uint8Array): Cipher {
  if (type === SOURCE_TYPES.seed) return seedCipher(secret);
  if (!AES_KEY_BYTES.includes(secret.byteLength))
    throw new StorageError('Corrupt', `crypto/aes: invalid key size ${secret.byteLength}`);
  return aesgcm(secret);
}

function seedCipher(seed: Uint8Array): Cipher {
  if (seed.byteLength < SEED_BYTES)
    throw new StorageError('Corrupt', `invalid seed length ${seed.byteLength} used for key generation`);
  return {
    seal: (plain, path) => {
      const info = randomBytes(INFO_BYTES);
      return concatBytes([info, aesgcm(derivedKey(seed, info)).seal(plain, path)]);
    },
    open: (sealed, path) => {
      if (sealed.byteLength < INFO_BYTES) return undefined;
      const info = sealed.subarray(0, INFO_BYTES);
      return aesgcm(derivedKey(seed, info)).open(sealed.subarray(INFO_BYTES), path);
    },
  };
}

/** Returns the first block of the expansion. Its 32 bytes are the key. */
function derivedKey(seed: Uint8Array, info: Uint8Array): Uint8Array {
  return createHmac('sha256', seed).update(info).update(FIRST_BLOCK).digest();
}

const FIRST_BLOCK = Uint8Array.of(1);
