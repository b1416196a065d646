/**
 * The ASN.1 DER reader and writer, limited to what keys and certificates use.
 * Invariant: reading takes linear time, copies no bytes and never throws. A reader returns undefined for malformed DER
 * (indefinite or padded lengths, trailing bytes).
 */
import { concatBytes, decodeUtf8Strict, encodeUtf8 } from '../base/bytes.ts';

export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
} as const;

export interface DerElement {
  readonly tag: number;
  /** Tag, length and content. */
  readonly bytes: Uint8Array;
  readonly content: Uint8Array;
}

/** Returns the tag of a context-specific element, such as `[0]` of a certificate's version. */
export function contextTag(number: number, constructed: boolean): number {
  return (constructed ? 0xa0 : 0x80) | number;
}

/** Reads the one element of the given tag that fills the whole input. */
export function readDer(bytes: Uint8Array, tag: number): DerElement | undefined {
  const element = readDerAt(bytes, 0);
  return element !== undefined && element.tag === tag && element.bytes.length === bytes.length ? element : undefined;
}

/** Reads the elements in the content of a sequence, a set or an explicit tag. */
export function readDerChildren(content: Uint8Array): readonly DerElement[] | undefined {
  const children: DerElement[] = [];
  for (let at = 0; at < content.length; ) {
    const element = readDerAt(content, at);
    if (element === undefined) return undefined;
    children.push(element);
    at += element.bytes.length;
  }
  return children;
}

/** Reads the children of the sequence that fills the whole input. */
export function readDerSequence(bytes: Uint8Array): readonly DerElement[] | undefined {
  const sequence = readDer(bytes, DER.sequence);
  return sequence === undefined ? undefined : readDerChildren(sequence.content);
}

/** Reads the element that starts at `at`; bytes may follow it. */
export function readDerAt(bytes: Uint8Array, at: number): DerElement | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  // Multi-byte tags (above 30) do not occur in keys and certificates.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined;
  let start = at + 2;
  let length = first;
  if (first >= 0x80) {
    const size = first & 0x7f;
    if (size === 0 || size > 4) return undefined;
    length = 0;
    for (let i = 0; i < size; i++) {
      const byte = bytes[start + i];
      if (byte === undefined) return undefined;
      length = length * 256 + byte;
    }
    if (length < 0x80 || length < 256 ** (size - 1)) return undefined;
    start += size;
  }
  const end = start + length;
  if (end > bytes.length) return undefined;
  return { tag, bytes: bytes.subarray(at, end), content: bytes.subarray(start, end) };
}

/** Reads an object identifier in its dotted form; undefined if it is malformed or an arc exceeds 2^53. */
export function readOid(element: DerElement | undefined): string | undefined {
  if (element === undefined || element.tag !== DER.oid || element.content.length === 0) return undefined;
  const arcs: number[] = [];
  let arc = 0;
  let fresh = true;
  for (const byte of element.content) {
    if (fresh && byte === 0x80) return undefined;
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) return undefined;
    fresh = byte < 0x80;
    if (!fresh) continue;
    arcs.push(arc);
    arc = 0;
  }
  if (!fresh) return undefined;
  const joint = arcs[0] as number;
  const root = Math.min(2, Math.floor(joint / 40));
  return [root, joint - root * 40, ...arcs.slice(1)].join('.');
}

/** Reads a bit string without unused bits. */
export function readBitString(element: DerElement | undefined): Uint8Array | undefined {
  if (element === undefined || element.tag !== DER.bitString || element.content[0] !== 0) return undefined;
  return element.content.subarray(1);
}

/** Reads text in any of the string types that names use. */
export function readDerText(element: DerElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  switch (element.tag) {
    case DER.utf8String:
    case DER.printableString:
    case DER.ia5String:
      return decodeUtf8Strict(element.content);
    case DER.teletexString:
      return readLatin1(element.content);
    case DER.bmpString:
      return readUtf16(element.content);
    default:
      return undefined;
  }
}

/** Decodes Latin-1: one character per byte. */
function readLatin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function readUtf16(bytes: Uint8Array): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  let text = '';
  for (let i = 0; i < bytes.length; i += 2)
    text += String.fromCharCode(((bytes[i] as number) << 8) | (bytes[i + 1] as number));
  return text;
}

/** Writes an element of the given tag whose content is `parts`. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const lengthBytes: number[] = [];
  if (size < 0x80) lengthBytes.push(size);
  else {
    for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) lengthBytes.unshift(rest % 256);
    lengthBytes.unshift(0x80 | lengthBytes.length);
  }
  return concatBytes([Uint8Array.of(tag, ...lengthBytes), ...parts]);
}

export function writeSequence(...parts: readonly Uint8Array[]): Uint8Array {
  return writeDer(DER.sequence, ...parts);
}

/**
 * Writes an integer from unsigned big-endian bytes. Removes leading zeros, and adds one where the sign bit would be
 * set.
 */
export function writeUnsigned(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const digits = bytes.subarray(from);
  return (digits[0] ?? 0) >= 0x80 || digits.length === 0
    ? writeDer(DER.integer, Uint8Array.of(0), digits)
    : writeDer(DER.integer, digits);
}

export function writeOid(dotted: string): Uint8Array {
  const [root = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [];
  for (const arc of [root * 40 + second, ...rest]) {
    const group = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) group.unshift(0x80 | (left % 128));
    bytes.push(...group);
  }
  return writeDer(DER.oid, Uint8Array.from(bytes));
}

export function writeBitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return writeDer(DER.bitString, Uint8Array.of(unusedBits), bytes);
}

/** Writes a PrintableString where the characters allow it, otherwise a UTF8String, as Go's encoder does. */
export function writeDerText(text: string): Uint8Array {
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
  return writeDer(printable ? DER.printableString : DER.utf8String, encodeUtf8(text));
}

/** Writes UTCTime until 2049 and GeneralizedTime from 2050, as RFC 5280 requires. Drops fractions of a second. */
export function writeDerTime(millis: number): Uint8Array {
  const digits = `${new Date(millis).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  const year = new Date(millis).getUTCFullYear();
  return year >= 1950 && year < 2050
    ? writeDer(DER.utcTime, encodeUtf8(digits.slice(2)))
    : writeDer(DER.generalizedTime, encodeUtf8(digits));
}
