/**
 * The percent encoding of URLs, like Go's `net/url`. One difference: decoded bytes that are not UTF-8 become U+FFFD,
 * because JavaScript strings cannot contain them. Encoded bytes are kept.
 */
import { quote } from '../go-format.ts';

export type UrlPart = 'path' | 'host' | 'zone' | 'user' | 'query' | 'fragment';

/** A parse error with Go's message. */
export class UrlFault extends Error {}

const HOST_CHARACTERS = '-_.~!$&\'()*+,;=:[]<>"';

/** The characters besides letters and digits that need no encoding. */
const PLAIN: Readonly<Record<UrlPart, string>> = {
  path: '-_.~$&+,/:;=@',
  host: HOST_CHARACTERS,
  zone: HOST_CHARACTERS,
  user: '-_.~$&+,;=',
  query: '-_.~',
  fragment: '-_.~$&+,/:;=?@!()*',
};

/** The characters that are accepted without encoding in paths and fragments. */
const TOLERATED = "!$&'()*+,;=:@[]%";

function isPlain(byte: number, part: UrlPart): boolean {
  return byte < 0x80 && (/[a-zA-Z0-9]/.test(String.fromCharCode(byte)) || includes(PLAIN[part], byte));
}

function includes(characters: string, byte: number): boolean {
  return characters.includes(String.fromCharCode(byte));
}

/** Decodes a part of a URL. Throws UrlFault for an invalid escape, and for an invalid character in a host. */
export function unescapeFor(text: string, part: UrlPart): string {
  const isHost = part === 'host' || part === 'zone';
  let escapes = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '%') {
      escapes++;
      checkEscape(text.slice(i, i + 3), part);
      i += 2;
    } else if (isHost && char < '\x80' && !isPlain(char.charCodeAt(0), part))
      throw new UrlFault(`invalid character ${quote(char)} in host name`);
  }
  const spaced = part === 'query' ? text.replaceAll('+', ' ') : text;
  return escapes === 0 ? spaced : new TextDecoder('utf-8', { ignoreBOM: true }).decode(decodeBytes(spaced));
}

function checkEscape(encoded: string, part: UrlPart): void {
  if (!/^%[0-9a-fA-F]{2}$/.test(encoded)) throw badEscape(encoded);
  if (encoded === '%25') return;
  const byte = Number.parseInt(encoded.slice(1), 16);
  if (part === 'host' && byte < 0x80) throw badEscape(encoded);
  if (part === 'zone' && byte !== 0x20 && !isPlain(byte, 'host')) throw badEscape(encoded);
}

function badEscape(encoded: string): UrlFault {
  return new UrlFault(`invalid URL escape ${quote(encoded)}`);
}

function decodeBytes(text: string): Uint8Array {
  const encoded = new TextEncoder().encode(text);
  const bytes: number[] = [];
  for (let i = 0; i < encoded.length; i++) {
    const byte = encoded[i] as number;
    if (byte !== 0x25) bytes.push(byte);
    else {
      bytes.push(Number.parseInt(String.fromCharCode(encoded[i + 1] as number, encoded[i + 2] as number), 16));
      i += 2;
    }
  }
  return Uint8Array.from(bytes);
}

export function encodeFor(text: string, part: UrlPart): string {
  return encodeBytes(new TextEncoder().encode(text), part);
}

/** Decodes a text and encodes it in the canonical way. */
export function reencodeFor(text: string, part: UrlPart): string {
  return encodeBytes(decodeBytes(text), part);
}

function encodeBytes(bytes: Uint8Array, part: UrlPart): string {
  let encoded = '';
  for (const byte of bytes) {
    if (isPlain(byte, part)) encoded += String.fromCharCode(byte);
    else encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** True if the text is a valid encoding. */
export function isEncoded(text: string, part: 'path' | 'fragment'): boolean {
  for (const byte of new TextEncoder().encode(text))
    if (!isPlain(byte, part) && !(byte < 0x80 && includes(TOLERATED, byte))) return false;
  return true;
}
