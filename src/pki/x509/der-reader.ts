/**
 * A reader that takes DER elements from the front of a byte string. It accepts the encodings that Go's cryptobyte
 * accepts: a certificate is malformed here exactly if it is malformed for the reference.
 * Invariant: reading copies no bytes and never throws. A reader returns undefined for malformed DER.
 */
import { DER, type DerElement, readDerAt } from '../der.ts';

export class DerReader {
  #rest: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#rest = bytes;
  }

  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  /** Returns whether the next element has this tag. */
  peek(tag: number): boolean {
    return this.#rest[0] === tag;
  }

  /** Takes the next element, whatever its tag is. */
  readAny(): DerElement | undefined {
    const element = readDerAt(this.#rest, 0);
    if (element !== undefined) this.#rest = this.#rest.subarray(element.bytes.length);
    return element;
  }

  /** Takes the next element, which must have this tag. */
  read(tag: number): DerElement | undefined {
    const element = this.readAny();
    return element?.tag === tag ? element : undefined;
  }

  /** Takes the next element, which must have this tag, and returns a reader of its content. */
  enter(tag: number): DerReader | undefined {
    const element = this.read(tag);
    return element === undefined ? undefined : new DerReader(element.content);
  }

  readOid(): string | undefined {
    return readObjectIdentifier(this.read(DER.oid)?.content);
  }

  /** Takes a boolean. DER has one encoding for each value. */
  readBoolean(): boolean | undefined {
    const content = this.read(DER.boolean)?.content;
    if (content?.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) return undefined;
    return content[0] === 0xff;
  }

  /** Takes an integer and returns its bytes: big-endian, in two's complement, with no superfluous byte. */
  readInteger(): Uint8Array | undefined {
    return minimalInteger(this.read(DER.integer)?.content);
  }

  /** Takes a bit string and returns its bits. */
  readBits(): Bits | undefined {
    const content = this.read(DER.bitString)?.content;
    if (content === undefined || content.length === 0) return undefined;
    const unused = content[0] as number;
    const bytes = content.subarray(1);
    if (unused > 7 || (bytes.length === 0 && unused !== 0)) return undefined;
    if (bytes.length > 0 && ((bytes[bytes.length - 1] as number) & ((1 << unused) - 1)) !== 0) return undefined;
    return { bytes, unused };
  }
}

export interface Bits {
  /** The first bit is the highest of the first byte. */
  readonly bytes: Uint8Array;
  /** The number of bits at the end that do not count; they are zero. */
  readonly unused: number;
}

/** Returns the bits as a number in big-endian bytes, as Go reads signatures and keys. */
export function alignBits({ bytes, unused }: Bits): Uint8Array {
  if (unused === 0) return bytes;
  const aligned = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++)
    aligned[i] = ((bytes[i] as number) >> unused) | ((i === 0 ? 0 : (bytes[i - 1] as number)) << (8 - unused));
  return aligned;
}

/** Returns the content of an INTEGER unless it is empty or has a superfluous leading byte. */
export function minimalInteger(content: Uint8Array | undefined): Uint8Array | undefined {
  if (content === undefined || content.length === 0) return undefined;
  if (content.length === 1) return content;
  const first = content[0] as number;
  const sign = (content[1] as number) & 0x80;
  return (first === 0 && sign === 0) || (first === 0xff && sign !== 0) ? undefined : content;
}

/** Returns the value of an integer of at most `size` bytes as a signed number. */
export function signedNumber(integer: Uint8Array | undefined, size: number): bigint | undefined {
  if (integer === undefined || integer.length > size) return undefined;
  return BigInt.asIntN(integer.length * 8, unsignedNumber(integer));
}

/** Returns the value of big-endian bytes. */
export function unsignedNumber(bytes: Uint8Array): bigint {
  let text = '0x0';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return BigInt(text);
}

/** Reads the content of an OBJECT IDENTIFIER whose components have at most 31 bits. */
function readObjectIdentifier(content: Uint8Array | undefined): string | undefined {
  if (content === undefined || content.length === 0) return undefined;
  const components: number[] = [];
  for (let at = 0; at < content.length; ) {
    let value = 0;
    for (let i = 0; ; i++) {
      const byte = content[at++];
      if (byte === undefined || i === 5 || value >= 2 ** 24 || (i === 0 && byte === 0x80)) return undefined;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    if (components.length > 0) components.push(value);
    else if (value < 80) components.push(Math.floor(value / 40), value % 40);
    else components.push(2, value - 80);
  }
  return components.join('.');
}
