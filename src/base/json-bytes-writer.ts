/**
 * A writer of JSON bytes, for values that are never JavaScript objects. It prints what `writeJson` prints. The buffer
 * is kept and used for the next text.
 */
import { copyBytes, encodeUtf8 } from './bytes.ts';
import type { JsonValue } from './json-value.ts';
import { writeJson } from './json-write.ts';

const QUOTE = 0x22;
/** Up to this length a loop is faster than a copy. */
const SHORT = 24;
const FIRST_BYTES = 4096;
/** A larger buffer is not kept. */
const KEPT_BYTES = 1024 * 1024;

/** 1 for the ASCII characters that `writeJson` escapes, with Go's escapes of HTML, and for bytes beyond ASCII. */
const ESCAPED: Uint8Array = new Uint8Array(256).fill(1);
ESCAPED.fill(0, 0x20, 0x80);
for (const character of '"\\<>&') ESCAPED[character.charCodeAt(0)] = 1;

export class JsonBytesWriter {
  #bytes: Uint8Array = new Uint8Array(FIRST_BYTES);
  /** The number of bytes that were written. Setting it to an earlier value takes back what was written since. */
  length = 0;

  /** Returns a copy of what was written. The writer is empty afterwards. */
  finish(): Uint8Array {
    const copy = this.copyFrom(0);
    this.clear();
    return copy;
  }

  /** Returns a copy of what was written since the length was `from`. */
  copyFrom(from: number): Uint8Array {
    return copyBytes(this.#bytes.subarray(from, this.length));
  }

  clear(): void {
    this.length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = new Uint8Array(FIRST_BYTES);
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = byte;
  }

  /** Writes bytes from `from` on, which are JSON. */
  raw(bytes: Uint8Array, from = 0): void {
    const size = bytes.length - from;
    this.#reserve(size);
    const target = this.#bytes;
    if (size > SHORT && from === 0) {
      target.set(bytes, this.length);
      this.length += size;
      return;
    }
    let at = this.length;
    for (let i = from; i < bytes.length; i++) target[at++] = bytes[i] as number;
    this.length = at;
  }

  /** Writes an integer from 0 to 2^31 - 1. */
  integer(value: number): void {
    let end = this.length + 1;
    for (let bound = 10; value >= bound; bound *= 10) end++;
    this.#reserve(end - this.length);
    this.length = end;
    let rest = value;
    do {
      this.#bytes[--end] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    } while (rest > 0);
  }

  value(value: JsonValue): void {
    this.raw(encodeUtf8(writeJson(value)));
  }

  /**
   * Writes a string whose UTF-8 bytes are those between two offsets. Returns false, and writes nothing, if a character
   * of it is not ASCII or has to be escaped.
   */
  plainString(bytes: Uint8Array, from: number, to: number): boolean {
    this.#reserve(to - from + 2);
    const target = this.#bytes;
    let at = this.length;
    target[at++] = QUOTE;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      if (ESCAPED[byte] === 1) return false;
      target[at++] = byte;
    }
    target[at++] = QUOTE;
    this.length = at;
    return true;
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.length));
    this.#bytes = grown;
  }
}
