/**
 * The CBOR decoder: the JSON value that the reference decodes into a generic object. Work and memory are linear in the
 * input, it does not recurse, and every failure is a value with an offset.
 */

import { encodeBase64 } from '../../../base/base64.ts';
import { decodeUtf8Strict, formatHex } from '../../../base/bytes.ts';
import { decodeLikeGo, MAX_JSON_DEPTH } from '../../../base/json-read.ts';
import { type JsonArray, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import { quote } from '../../go-format.ts';
import { formatEpoch, isRfc3339 } from './cbor-time.ts';

export interface CborDecodeOptions {
  /** The deepest nesting of arrays, maps and tags. Default 10,000, as in the reference. */
  readonly maxDepth?: number;
}

export interface CborError {
  readonly message: string;
  readonly offset: number;
}

export type CborResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly error: CborError };

/**
 * Decodes one item that fills the input. Integers beyond int64, duplicate or non-string keys, undefined, NaN and
 * infinities are errors. Never throws.
 */
export function decodeCbor(bytes: Uint8Array, options: CborDecodeOptions = {}): CborResult {
  try {
    return { ok: true, value: new CborReader(bytes, options.maxDepth ?? MAX_JSON_DEPTH).read() };
  } catch (caught) {
    if (caught instanceof CborFailure) return { ok: false, error: { message: caught.message, offset: caught.offset } };
    throw caught;
  }
}

class CborFailure {
  readonly message: string;
  readonly offset: number;
  constructor(message: string, offset: number) {
    this.message = message;
    this.offset = offset;
  }
}

/** An open array, map or tag. `left` counts items or pairs; undefined until a break ends it. */
interface Frame {
  readonly array: JsonArray | undefined;
  readonly object: JsonObject | undefined;
  readonly tag: number | bigint | undefined;
  left: number | undefined;
  /** The key whose value comes next; undefined if a key comes next. Only for maps. */
  key: string | undefined;
  count: number;
}

const MAX_INT64 = 2n ** 63n - 1n;
const MAJOR_TYPES = [
  'positive integer',
  'negative integer',
  'byte string',
  'UTF-8 text string',
  'array',
  'map',
  'tag',
  'primitives',
] as const;
const BREAK = Symbol('break');
type Item = JsonValue | Uint8Array | typeof BREAK | undefined;

class CborReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #maxDepth: number;
  readonly #frames: Frame[] = [];
  #at = 0;

  constructor(bytes: Uint8Array, maxDepth: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxDepth = maxDepth;
  }

  read(): JsonValue {
    for (;;) {
      let item = this.#item();
      // A complete item goes into its container. A complete container is an item of the next outer one.
      while (item !== undefined) {
        const frame = this.#frames.at(-1);
        if (frame === undefined) return this.#finish(item);
        item = this.#put(frame, item);
      }
    }
  }

  #finish(item: Exclude<Item, undefined>): JsonValue {
    if (item === BREAK) this.#fail('cbor: unexpected "break" code', this.#at - 1);
    const extra = this.#bytes.byteLength - this.#at;
    if (extra > 0) this.#fail(`cbor: ${extra} bytes of extraneous data starting at index ${this.#at}`, this.#at);
    return this.#text(item);
  }

  /** Strings stay bytes until the enclosing tag is known. */
  #text(item: JsonValue | Uint8Array): JsonValue {
    return item instanceof Uint8Array ? decodeLikeGo(item) : item;
  }

  #put(frame: Frame, item: Exclude<Item, undefined>): Item {
    if (frame.tag !== undefined) {
      if (item === BREAK) this.#fail('cbor: unexpected "break" code', this.#at - 1);
      this.#frames.pop();
      return this.#tagged(frame.tag, item);
    }
    if (item === BREAK) {
      if (frame.left !== undefined || frame.key !== undefined)
        this.#fail('cbor: unexpected "break" code', this.#at - 1);
      return this.#close();
    }
    if (frame.array !== undefined) frame.array.push(this.#text(item));
    else if (frame.key === undefined) {
      const key = this.#text(item);
      const object = frame.object as JsonObject;
      if (typeof key !== 'string')
        this.#fail(`cbor: cannot unmarshal ${typeName(key)} into Go value of type string`, this.#at);
      if (Object.hasOwn(object, key))
        this.#fail(`cbor: found duplicate map key ${quote(key)} at map element index ${frame.count}`, this.#at);
      frame.key = key;
      return undefined;
    } else {
      setField(frame.object as JsonObject, frame.key, this.#text(item));
      frame.key = undefined;
    }
    frame.count++;
    return frame.left !== undefined && --frame.left === 0 ? this.#close() : undefined;
  }

  #close(): JsonValue {
    const frame = this.#frames.pop() as Frame;
    return (frame.array ?? frame.object) as JsonValue;
  }

  #tagged(tag: number | bigint, item: JsonValue | Uint8Array): Item {
    switch (tag) {
      case 0:
      case 1:
        return this.#time(tag, item);
      case 2:
      case 3:
        return this.#refuse('tag', 'bignum', this.#at);
      case 21:
        return item instanceof Uint8Array ? toBase64Url(item) : item;
      case 22:
        return item instanceof Uint8Array ? encodeBase64(item) : item;
      case 23:
        return item instanceof Uint8Array ? formatHex(item) : item;
      default:
        return item;
    }
  }

  #time(tag: 0 | 1, item: JsonValue | Uint8Array): JsonValue {
    const value = this.#text(item);
    if (tag === 0) {
      if (typeof value === 'string' && isRfc3339(value)) return value;
      return this.#fail('cbor: cannot set the content of tag 0 for time.Time', this.#at);
    }
    const text = typeof value === 'number' || typeof value === 'bigint' ? formatEpoch(value) : undefined;
    return text ?? this.#fail('cbor: cannot set the content of tag 1 for time.Time', this.#at);
  }

  /** The next item; undefined after opening a container or a tag. */
  #item(): Item {
    const start = this.#at;
    const first = this.#byte();
    const major = first >> 5;
    const info = first & 0x1f;
    if (major === 7) return this.#simple(info, start);
    if (info === 31) return this.#indefinite(major, start);
    const argument = this.#argument(info, start);
    switch (major) {
      case 0:
        return this.#integer(BigInt(argument), start);
      case 1:
        return this.#integer(-1n - BigInt(argument), start);
      case 2:
        return this.#slice(argument);
      case 3:
        return this.#checkedText(this.#slice(argument), start);
      case 6:
        return this.#open({
          array: undefined,
          object: undefined,
          tag: argument,
          left: undefined,
          key: undefined,
          count: 0,
        });
      default: {
        const size = this.#count(argument, major === 5 ? 2 : 1);
        if (size === 0) return major === 4 ? [] : {};
        return this.#container(major, size);
      }
    }
  }

  #container(major: number, left: number | undefined): undefined {
    const isArray = major === 4;
    return this.#open({
      array: isArray ? [] : undefined,
      object: isArray ? undefined : {},
      tag: undefined,
      left,
      key: undefined,
      count: 0,
    });
  }

  #open(frame: Frame): undefined {
    if (this.#frames.length >= this.#maxDepth)
      this.#fail(`cbor: exceeded max nested level ${this.#maxDepth}`, this.#at);
    this.#frames.push(frame);
    return undefined;
  }

  #integer(value: bigint, start: number): number | bigint {
    if (value > MAX_INT64 || value < -MAX_INT64 - 1n) {
      const kind = value < 0n ? 'negative' : 'positive';
      this.#fail(
        `cbor: cannot unmarshal ${kind} integer into Go value of type interface {} (${value} overflows Go's int64)`,
        start,
      );
    }
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  #simple(info: number, start: number): Item {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
        return null;
      case 25:
        return this.#finite(fromHalf(Number(this.#argument(25, start))), start);
      case 26:
        this.#need(4);
        this.#at += 4;
        return this.#finite(this.#view.getFloat32(this.#at - 4), start);
      case 27:
        this.#need(8);
        this.#at += 8;
        return this.#finite(this.#view.getFloat64(this.#at - 8), start);
      case 31:
        return BREAK;
      default: {
        if (info > 27) this.#fail(`cbor: invalid additional information ${info} for type primitives`, start);
        const value = info < 24 ? info : this.#byte();
        if (info === 24 && value < 32) this.#fail(`cbor: invalid simple value ${value} for type primitives`, start);
        return this.#refuse('primitives', `simple value ${value} is not recognized`, start);
      }
    }
  }

  #finite(value: number, start: number): number {
    if (!Number.isFinite(value)) this.#fail('cbor: floating-point NaN or infinity', start);
    return value;
  }

  #indefinite(major: number, start: number): Item {
    if (major === 4 || major === 5) return this.#container(major, undefined);
    if (major !== 2 && major !== 3)
      this.#fail(`cbor: invalid additional information 31 for type ${MAJOR_TYPES[major]}`, start);
    const parts: number[][] = [];
    for (;;) {
      const at = this.#at;
      const first = this.#byte();
      if (first === 0xff) break;
      if (first >> 5 !== major || (first & 0x1f) === 31)
        this.#fail('cbor: wrong element type in an indefinite-length string', at);
      const part = this.#slice(this.#argument(first & 0x1f, at));
      if (major === 3) this.#checkedText(part, at);
      parts.push([at, part.byteLength, this.#at]);
    }
    const size = parts.reduce((sum, part) => sum + (part[1] as number), 0);
    const whole = new Uint8Array(size);
    let to = 0;
    for (const [, length, end] of parts as [number, number, number][]) {
      whole.set(this.#bytes.subarray(end - length, end), to);
      to += length;
    }
    return whole;
  }

  #checkedText(bytes: Uint8Array, start: number): Uint8Array {
    if (decodeUtf8Strict(bytes) === undefined) this.#fail('cbor: invalid UTF-8 string', start);
    return bytes;
  }

  #argument(info: number, start: number): number | bigint {
    if (info < 24) return info;
    const size = info === 24 ? 1 : info === 25 ? 2 : info === 26 ? 4 : info === 27 ? 8 : 0;
    if (size === 0) {
      const type = MAJOR_TYPES[(this.#bytes[start] as number) >> 5];
      return this.#fail(`cbor: invalid additional information ${info} for type ${type}`, start);
    }
    this.#need(size);
    const at = this.#at;
    this.#at += size;
    if (size === 1) return this.#bytes[at] as number;
    if (size === 2) return this.#view.getUint16(at);
    if (size === 4) return this.#view.getUint32(at);
    const long = this.#view.getBigUint64(at);
    return long <= Number.MAX_SAFE_INTEGER ? Number(long) : long;
  }

  /** A number of items, checked against the bytes that are left. */
  #count(argument: number | bigint, bytesEach: number): number {
    if (argument > (this.#bytes.byteLength - this.#at) / bytesEach)
      this.#fail('unexpected EOF', this.#bytes.byteLength);
    return Number(argument);
  }

  #slice(length: number | bigint): Uint8Array {
    const size = this.#count(length, 1);
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }

  #byte(): number {
    this.#need(1);
    return this.#bytes[this.#at++] as number;
  }

  #need(size: number): void {
    if (this.#at + size > this.#bytes.byteLength)
      this.#fail(this.#bytes.byteLength === 0 ? 'EOF' : 'unexpected EOF', this.#bytes.byteLength);
  }

  #refuse(type: string, what: string, offset: number): never {
    return this.#fail(`cbor: data item of cbor type ${type} is not accepted by protocol: ${what}`, offset);
  }

  #fail(message: string, offset: number): never {
    throw new CborFailure(message, offset);
  }
}

function typeName(value: JsonValue): string {
  if (typeof value === 'number' || typeof value === 'bigint')
    return value < 0 ? 'negative integer' : 'positive integer';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' && value !== null ? 'map' : 'primitives';
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function toBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
