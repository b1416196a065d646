/**
 * The protobuf wire format: a reader that never reads beyond its bounds, and a writer that fills its buffer from the
 * end to the front, so that the length of a nested message is known when its header is written. Invariant: neither
 * throws on bad input. A failed reader keeps the first failure and stands at the end of its bytes, so every loop over
 * it ends.
 */
import { allocateBytes, copyBytes, decodeUtf8, EMPTY_BYTES, encodedSize, encodeUtf8Into } from '../../base/bytes.ts';
import { decodeLikeGo } from '../../base/json-read.ts';

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
export const FIXED32 = 5;

export interface WireError {
  readonly message: string;
  /** The offset of the byte that could not be read, from 0. */
  readonly offset: number;
}

// The messages of the reference's generated code that name no field.
const UNEXPECTED_END = 'unexpected EOF';
const NEGATIVE_LENGTH = 'proto: negative length found during unmarshaling';

const TWO_32 = 4_294_967_296;
/** Shorter texts are decoded faster by a loop than by a TextDecoder. */
const SHORT_TEXT = 32;

export class WireReader {
  readonly bytes: Uint8Array;
  pos: number;
  error: WireError | undefined = undefined;
  /** The lower and upper 32 bits of the last varint or fixed number, both unsigned. */
  lo = 0;
  hi = 0;
  /** The field number of the last tag. */
  fieldNumber = 0;
  wireType = 0;
  readonly #view: DataView;
  readonly #base: number;

  /** Reads `bytes` from `pos` on. `base` is added to the offsets of errors. */
  constructor(bytes: Uint8Array, pos = 0, base = 0) {
    this.bytes = bytes;
    this.pos = pos;
    this.#base = base;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Keeps the first failure and moves to the end. Returns false for callers to return. */
  fail(message: string, offset: number = this.pos): false {
    this.error ??= { message, offset: this.#base + offset };
    this.pos = this.bytes.length;
    return false;
  }

  /** Fails with an offset that is already counted from the start of the whole input. */
  failAt(error: WireError): false {
    this.error ??= error;
    this.pos = this.bytes.length;
    return false;
  }

  /** The offset of a position in the whole input. */
  offsetOf(pos: number): number {
    return this.#base + pos;
  }

  readVarint(end: number): boolean {
    const { bytes } = this;
    const start = this.pos;
    let lo = 0;
    let hi = 0;
    for (let i = 0; i < 10; i++) {
      if (this.pos >= end) return this.fail(UNEXPECTED_END);
      const byte = bytes[this.pos++] as number;
      const bits = byte & 0x7f;
      if (i < 4) lo |= bits << (7 * i);
      else if (i === 4) {
        lo |= bits << 28;
        hi = bits >>> 4;
      } else hi |= bits << (7 * i - 32);
      if (byte < 0x80) {
        this.lo = lo >>> 0;
        this.hi = hi >>> 0;
        return true;
      }
    }
    return this.fail('proto: integer overflow', start);
  }

  readFixed32(end: number): boolean {
    if (end - this.pos < 4) return this.fail(UNEXPECTED_END);
    this.lo = this.#view.getUint32(this.pos, true);
    this.hi = 0;
    this.pos += 4;
    return true;
  }

  readFixed64(end: number): boolean {
    if (end - this.pos < 8) return this.fail(UNEXPECTED_END);
    this.lo = this.#view.getUint32(this.pos, true);
    this.hi = this.#view.getUint32(this.pos + 4, true);
    this.pos += 8;
    return true;
  }

  /**
   * Reads a tag into `fieldNumber` and `wireType`. Fails for a number that is not positive and for an unmatched end of
   * a group.
   */
  readTag(end: number): boolean {
    const start = this.pos;
    if (!this.readVarint(end)) return false;
    this.wireType = this.lo & 7;
    this.fieldNumber = (this.lo >>> 3) | (this.hi << 29);
    if (this.wireType === END_GROUP) return this.fail('the end of a group that was not begun', start);
    if (this.fieldNumber <= 0) return this.fail(`illegal field number ${this.fieldNumber}`, start);
    return true;
  }

  /** Reads a length. Returns the end position of its bytes, or -1. */
  readLength(end: number): number {
    const start = this.pos;
    if (!this.readVarint(end)) return -1;
    if (this.hi !== 0 || this.lo > end - this.pos) {
      this.fail(this.hi > 0x7fffffff ? NEGATIVE_LENGTH : UNEXPECTED_END, start);
      return -1;
    }
    return this.pos + this.lo;
  }

  /** The bytes up to `end`, not copied. */
  takeBytes(end: number): Uint8Array {
    const taken = this.bytes.subarray(this.pos, end);
    this.pos = end;
    return taken;
  }

  /** The text up to `end`. Each malformed UTF-8 byte becomes U+FFFD, as Go's JSON encoder prints it. */
  takeText(end: number): string {
    const { bytes } = this;
    const start = this.pos;
    this.pos = end;
    if (end - start <= SHORT_TEXT) {
      let text = '';
      let at = start;
      for (; at < end; at++) {
        const byte = bytes[at] as number;
        if (byte >= 0x80) break;
        text += String.fromCharCode(byte);
      }
      if (at === end) return text;
    }
    const part = bytes.subarray(start, end);
    const text = decodeUtf8(part);
    return text.includes('\ufffd') ? decodeLikeGo(part) : text;
  }

  /** Skips the value of the last tag, including groups. */
  skip(end: number): boolean {
    let depth = 0;
    let { wireType } = this;
    for (;;) {
      if (wireType === VARINT) {
        if (!this.readVarint(end)) return false;
      } else if (wireType === FIXED64 || wireType === FIXED32) {
        const size = wireType === FIXED64 ? 8 : 4;
        if (end - this.pos < size) return this.fail(UNEXPECTED_END);
        this.pos += size;
      } else if (wireType === BYTES) {
        const to = this.readLength(end);
        if (to < 0) return false;
        this.pos = to;
      } else if (wireType === START_GROUP) depth++;
      else if (wireType === END_GROUP) depth--;
      else return this.fail(`proto: illegal wireType ${wireType}`);
      if (depth === 0) return true;
      if (!this.readVarint(end)) return false;
      wireType = this.lo & 7;
    }
  }

  /** The last number as an int64: a bigint only beyond the safe integers. */
  toInt64(): number | bigint {
    const value = (this.hi | 0) * TWO_32 + this.lo;
    if (Number.isSafeInteger(value)) return value;
    return BigInt.asIntN(64, (BigInt(this.hi) << 32n) | BigInt(this.lo));
  }

  /**
   * The last number as a uint64: a bigint beyond the safe integers, a double beyond int64, as in the JSON value model.
   */
  toUint64(): number | bigint {
    const value = this.hi * TWO_32 + this.lo;
    if (Number.isSafeInteger(value) || this.hi > 0x7fffffff) return value;
    return (BigInt(this.hi) << 32n) | BigInt(this.lo);
  }

  toFloat(): number {
    scratch.setUint32(0, this.lo);
    return scratch.getFloat32(0);
  }

  toDouble(): number {
    scratch.setUint32(0, this.hi);
    scratch.setUint32(4, this.lo);
    return scratch.getFloat64(0);
  }
}

const scratch = new DataView(new ArrayBuffer(8));

const FIRST_BYTES = 32 * 1024;
/** The sizes between which a buffer is kept for the next writer. */
const MAX_SPARE_BYTES = 64 * 1024;
const MIN_SPARE_BYTES = 4096;
/**
 * The buffer of the last finished writer, or the unused rest of it, for the next writer. A writer that finds none
 * allocates its own buffer.
 */
let spare: Uint8Array | undefined;

/**
 * `text.charCodeAt`, without the lookup of the method: that is slow in V8 once it has seen more than four
 * representations of strings.
 */
const codeUnitAt = Function.prototype.call.bind(String.prototype.charCodeAt) as (text: string, at: number) => number;

/** Writes from the end of a growing buffer to its front: the last field of a message first, a value before its tag. */
export class WireWriter {
  readonly #limit: number;
  #bytes: Uint8Array;
  #pos: number;
  /** True once the limit was exceeded. The output is unusable then. */
  full = false;

  constructor(limit: number) {
    this.#limit = limit;
    if (spare === undefined || spare.length > limit) this.#bytes = allocateBytes(Math.min(FIRST_BYTES, limit));
    else {
      this.#bytes = spare;
      spare = undefined;
    }
    this.#pos = this.#bytes.length;
  }

  /** The number of bytes written. The difference of two sizes is the length of what was written between them. */
  get size(): number {
    return this.#bytes.length - this.#pos;
  }

  /** A copy of what was written. Empties the writer, which must not be used afterwards. */
  finish(): Uint8Array {
    const bytes = copyBytes(this.#bytes.subarray(this.#pos));
    this.#leave(this.#bytes);
    return bytes;
  }

  /**
   * Like `finish`, without a copy. The result keeps the whole buffer alive, and later writers use the rest of it. Only
   * for bytes that are not kept for long.
   */
  finishView(): Uint8Array {
    const bytes = this.#bytes.subarray(this.#pos);
    this.#leave(this.#bytes.subarray(0, this.#pos));
    return bytes;
  }

  #leave(rest: Uint8Array): void {
    if (rest.length >= MIN_SPARE_BYTES && rest.length <= MAX_SPARE_BYTES) spare = rest;
    this.#bytes = EMPTY_BYTES;
    this.#pos = 0;
  }

  /** A copy of what was written since `size` was `mark`. */
  copySince(mark: number): Uint8Array {
    return copyBytes(this.#bytes.subarray(this.#pos, this.#bytes.length - mark));
  }

  writeByte(byte: number): void {
    if (this.#reserve(1)) this.#bytes[--this.#pos] = byte;
  }

  writeBytes(bytes: Uint8Array): void {
    if (!this.#reserve(bytes.length)) return;
    this.#pos -= bytes.length;
    this.#bytes.set(bytes, this.#pos);
  }

  /** Writes UTF-8. A lone surrogate becomes U+FFFD, as in Go's JSON decoder. */
  writeText(text: string): void {
    const { length } = text;
    if (!this.#reserve(length)) return;
    const target = this.#bytes;
    const start = this.#pos - length;
    if (length <= SHORT_TEXT) {
      let i = 0;
      for (; i < length; i++) {
        const code = codeUnitAt(text, i);
        if (code >= 0x80) break;
        target[start + i] = code;
      }
      if (i === length) {
        this.#pos = start;
        return;
      }
    }
    const size = encodedSize(text);
    if (!this.#reserve(size)) return;
    this.#pos -= size;
    encodeUtf8Into(text, size, this.#bytes, this.#pos);
  }

  /** Writes an integer of up to 64 bits. Negative ones are two's complement. */
  writeVarint(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#writeHalves(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
    } else if (value >= 0 && value < 0x80) this.writeByte(value);
    else this.#writeHalves(value >>> 0, Math.floor(value / TWO_32) >>> 0);
  }

  writeFloat(value: number): void {
    scratch.setFloat32(0, value);
    for (let i = 0; i < 4; i++) this.writeByte(scratch.getUint8(i));
  }

  writeDouble(value: number): void {
    scratch.setFloat64(0, value);
    for (let i = 0; i < 8; i++) this.writeByte(scratch.getUint8(i));
  }

  writeTag(fieldNumber: number, wireType: number): void {
    this.writeVarint(fieldNumber * 8 + wireType);
  }

  /** Writes the header of the bytes written since `size` was `mark`: their length, then the tag. */
  closeField(fieldNumber: number, mark: number): void {
    this.writeVarint(this.size - mark);
    this.writeTag(fieldNumber, BYTES);
  }

  #writeHalves(lo: number, hi: number): void {
    let length = 1;
    for (let l = lo, h = hi; h !== 0 || l > 0x7f; length++) {
      l = ((l >>> 7) | (h << 25)) >>> 0;
      h >>>= 7;
    }
    if (!this.#reserve(length)) return;
    this.#pos -= length;
    let at = this.#pos;
    for (; hi !== 0 || lo > 0x7f; at++) {
      this.#bytes[at] = (lo & 0x7f) | 0x80;
      lo = ((lo >>> 7) | (hi << 25)) >>> 0;
      hi >>>= 7;
    }
    this.#bytes[at] = lo;
  }

  #reserve(count: number): boolean {
    if (count <= this.#pos) return true;
    const needed = this.size + count;
    if (needed > this.#limit || this.full) {
      this.full = true;
      return false;
    }
    const grown = allocateBytes(Math.min(Math.max(needed, this.#bytes.length * 2), this.#limit));
    grown.set(this.#bytes.subarray(this.#pos), grown.length - this.size);
    this.#pos += grown.length - this.#bytes.length;
    this.#bytes = grown;
    return true;
  }
}
