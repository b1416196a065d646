/** A growing buffer of CBOR items. Invariant: heads, integers and floats have their shortest form. */
import { allocateBytes, copyBytes } from '../../../base/bytes.ts';

const float32 = new Float32Array(1);
const float32Bits = new Uint32Array(float32.buffer);

export class CborSink {
  #buffer: Uint8Array = allocateBytes(256);
  #view: DataView = viewOf(this.#buffer);
  #size = 0;

  /** A copy of the bytes that were written. */
  finish(): Uint8Array {
    return copyBytes(this.#buffer.subarray(0, this.#size));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#size++] = value;
  }

  bytes(source: Uint8Array): void {
    this.#reserve(source.byteLength);
    this.#buffer.set(source, this.#size);
    this.#size += source.byteLength;
  }

  /** Writes a major type with its argument, a safe integer or at most 64 bits. */
  head(major: number, argument: number | bigint): void {
    this.#reserve(9);
    const first = major << 5;
    if (argument < 24) this.#buffer[this.#size++] = first | Number(argument);
    else if (argument < 0x100) {
      this.#buffer[this.#size] = first | 24;
      this.#buffer[this.#size + 1] = Number(argument);
      this.#size += 2;
    } else if (argument < 0x10000) {
      this.#buffer[this.#size] = first | 25;
      this.#view.setUint16(this.#size + 1, Number(argument));
      this.#size += 3;
    } else if (argument < 0x100000000) {
      this.#buffer[this.#size] = first | 26;
      this.#view.setUint32(this.#size + 1, Number(argument));
      this.#size += 5;
    } else {
      this.#buffer[this.#size] = first | 27;
      this.#view.setBigUint64(this.#size + 1, BigInt(argument));
      this.#size += 9;
    }
  }

  integer(value: number | bigint): void {
    if (value >= 0) this.head(0, value);
    else this.head(1, typeof value === 'bigint' ? -1n - value : -1 - value);
  }

  /** Writes a finite float in the narrowest of 16, 32 and 64 bits that holds it. */
  float(value: number): void {
    this.#reserve(9);
    const half = toHalf(value);
    if (half !== undefined) {
      this.#buffer[this.#size] = 0xf9;
      this.#view.setUint16(this.#size + 1, half);
      this.#size += 3;
    } else if (Math.fround(value) === value) {
      this.#buffer[this.#size] = 0xfa;
      this.#view.setFloat32(this.#size + 1, value);
      this.#size += 5;
    } else {
      this.#buffer[this.#size] = 0xfb;
      this.#view.setFloat64(this.#size + 1, value);
      this.#size += 9;
    }
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#buffer.byteLength) return;
    const grown = allocateBytes(Math.max(this.#buffer.byteLength * 2, this.#size + more));
    grown.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = grown;
    this.#view = viewOf(grown);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The bits of a 16-bit float; undefined if it does not hold the value exactly. */
function toHalf(value: number): number | undefined {
  if (Math.fround(value) !== value) return undefined;
  float32[0] = value;
  const bits = float32Bits[0] as number;
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0) return fraction === 0 ? sign : undefined;
  const halfExponent = exponent - 127 + 15;
  if (halfExponent >= 31) return undefined;
  if (halfExponent > 0) return (fraction & 0x1fff) === 0 ? sign | (halfExponent << 10) | (fraction >>> 13) : undefined;
  // Subnormal: the leading one becomes part of the fraction.
  const shift = 14 - halfExponent;
  if (shift > 24) return undefined;
  const full = fraction | 0x800000;
  return (full & ((1 << shift) - 1)) === 0 ? sign | (full >>> shift) : undefined;
}
