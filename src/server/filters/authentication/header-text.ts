/** Text in headers that may contain more than ASCII, such as user names and tokens. */
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';

const BEYOND_ASCII = /[\x80-\xff]/;
const BEYOND_BYTES = /[^\x00-\xff]/;
const BEYOND_SEVEN_BITS = /[^\x00-\x7f]/;

/**
 * Decodes a header value as UTF-8, as the reference does. Listeners pass values with one character per byte. Malformed
 * bytes become U+FFFD.
 */
export function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value) || BEYOND_BYTES.test(value)) return value;
  return decodeUtf8(Uint8Array.from(value, (byte) => byte.charCodeAt(0)));
}

/** Encodes a header value as UTF-8, with one character per byte. `headerText` reverts it. */
export function headerBytes(value: string): string {
  return BEYOND_SEVEN_BITS.test(value) ? String.fromCharCode(...encodeUtf8(value)) : value;
}
