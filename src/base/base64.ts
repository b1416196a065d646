/**
 * Base64, the JSON form of bytes. It exists because the platform's own functions go through strings and accept more.
 * Invariant: `decodeBase64` accepts exactly the texts that Go's decoder accepts for a []byte, and `encodeBase64` prints
 * what Go prints.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES: Int8Array = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));

/** Returns the bytes of padded base64. Line ends are ignored, as Go does. Returns undefined for any other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const clean = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, '') : text;
  const { length } = clean;
  if (length % 4 !== 0) return undefined;
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  let at = 0;
  let bits = 0;
  for (let i = 0; i < length - padding; i++) {
    const code = clean.charCodeAt(i);
    const value = code < 128 ? (VALUES[code] as number) : -1;
    if (value < 0) return undefined;
    bits = (bits << 6) | value;
    if ((i & 3) === 1) bytes[at++] = bits >>> 4;
    else if ((i & 3) === 2) bytes[at++] = bits >>> 2;
    else if ((i & 3) === 3) {
      bytes[at++] = bits;
      bits = 0;
    }
  }
  return bytes;
}

export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  const whole = bytes.length - (bytes.length % 3);
  let text = '';
  for (let i = 0; i < whole; i += 3) {
    const bits = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    text += digit(bits >>> 18) + digit(bits >>> 12) + digit(bits >>> 6) + digit(bits);
    if (text.length > 8192) {
      parts.push(text);
      text = '';
    }
  }
  if (whole < bytes.length) {
    const first = bytes[whole] as number;
    const second = bytes[whole + 1];
    const bits = (first << 16) | ((second ?? 0) << 8);
    text += `${digit(bits >>> 18)}${digit(bits >>> 12)}${second === undefined ? '=' : digit(bits >>> 6)}=`;
  }
  parts.push(text);
  return parts.join('');
}

function digit(value: number): string {
  return ALPHABET[value & 63] as string;
}
