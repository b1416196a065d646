/**
 * What a header says, where it may say more than ASCII: names of users, tokens. Invariant: the same bytes are the same
 * text, whichever transport brought them.
 */
import { decodeUtf8 } from '../../../base/bytes.ts';

const BEYOND_ASCII = /[\x80-\xff]/;
const BEYOND_BYTES = /[^\x00-\xff]/;

/**
 * Headers come as one character a byte; clients write UTF-8, as the reference reads it. Bytes that are none become
 * U+FFFD.
 */
export function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value) || BEYOND_BYTES.test(value)) return value;
  return decodeUtf8(Uint8Array.from(value, (byte) => byte.charCodeAt(0)));
}
