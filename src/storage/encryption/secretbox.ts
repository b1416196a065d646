/** NaCl's secretbox: XSalsa20 and Poly1305. A box is the 16 bytes of the tag and the encrypted message. */
import { timingSafeEqual } from 'node:crypto';
import { copyBytes } from '../../base/bytes.ts';
import { StorageError } from '../errors.ts';
import { poly1305 } from './poly1305.ts';
import { xorXSalsa20 } from './salsa20.ts';

export const SECRETBOX_KEY = 32;
export const SECRETBOX_NONCE = 24;
export const SECRETBOX_TAG = 16;

/** Encrypts a message. The nonce must not be used twice with the same key. */
export function sealSecretbox(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const box = new Uint8Array(SECRETBOX_TAG + message.byteLength);
  const encrypted = box.subarray(SECRETBOX_TAG);
  encrypted.set(message);
  xorXSalsa20(key, nonce, encrypted, SECRETBOX_KEY);
  box.set(poly1305(tagKey(nonce, key), encrypted));
  return box;
}

/**
 * Decrypts a box, which must be at least as long as a tag. Throws StorageError(Corrupt) if the box was not made with
 * this key and nonce.
 */
export function openSecretbox(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  // slice() of a Buffer would share the memory of the box.
  const encrypted = copyBytes(box.subarray(SECRETBOX_TAG));
  if (!timingSafeEqual(poly1305(tagKey(nonce, key), encrypted), box.subarray(0, SECRETBOX_TAG)))
    throw new StorageError('Corrupt', 'the key does not open the box');
  xorXSalsa20(key, nonce, encrypted, SECRETBOX_KEY);
  return encrypted;
}

/** The Poly1305 key: the first 32 bytes of the key stream. The message is encrypted with the bytes after them. */
function tagKey(nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const stream = new Uint8Array(SECRETBOX_KEY);
  xorXSalsa20(key, nonce, stream, 0);
  return stream;
}
