/**
 * Base64url without padding (RFC 7515): the alphabet of JSON Web Tokens. Accepts what Go's RawURLEncoding accepts,
 * except line ends.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts';

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns undefined for padding, white space, and the standard alphabet's `+` and `/`. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (text.length % 4)) % 4));
}
