/** Base64 in its URL form without padding, the alphabet of JSON Web Tokens. Invariant: accepts what Go's RawURLEncoding accepts, line ends aside. */
import { decodeBase64, encodeBase64 } from '../base/base64.ts';

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined for padding, white space or the other alphabet's `+` and `/`. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (text.length % 4)) % 4));
}
