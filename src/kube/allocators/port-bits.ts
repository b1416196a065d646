/**
 * The set of allocated ports of a range as a RangeAllocation has it: the bytes of a number whose bit N is port first +
 * N.
 */
import { type PortRange, portRangeContains } from './port-range.ts';

export class PortBits {
  readonly #range: PortRange;
  /** The byte of bits 0 to 7 first. */
  readonly #bytes: Uint8Array;
  #changed = false;

  constructor(range: PortRange) {
    this.#range = range;
    this.#bytes = new Uint8Array(Math.ceil(range.size / 8));
  }

  /** `data` begins with the highest byte and may lack leading zeros. Bits beyond the range are dropped. */
  static fromData(range: PortRange, data: Uint8Array): PortBits {
    const bits = new PortBits(range);
    for (let offset = 0; offset < range.size; offset++)
      if (((data[data.length - 1 - (offset >> 3)] ?? 0) >> (offset & 7)) & 1) bits.add(range.first + offset);
    bits.#changed = false;
    return bits;
  }

  /** Whether a port was added or deleted. */
  get changed(): boolean {
    return this.#changed;
  }

  has(port: number): boolean {
    const offset = port - this.#range.first;
    return portRangeContains(this.#range, port) && (((this.#bytes[offset >> 3] as number) >> (offset & 7)) & 1) === 1;
  }

  /** Ignores a port beyond the range. */
  add(port: number): void {
    if (!portRangeContains(this.#range, port) || this.has(port)) return;
    this.#flip(port);
  }

  delete(port: number): void {
    if (this.has(port)) this.#flip(port);
  }

  *ports(): Generator<number> {
    for (let port = this.#range.first; port < this.#range.first + this.#range.size; port++)
      if (this.has(port)) yield port;
  }

  /** The highest byte first, without leading zeros, as Go's big.Int writes it. */
  toData(): Uint8Array {
    const length = this.#bytes.findLastIndex((byte) => byte !== 0) + 1;
    return this.#bytes.slice(0, length).reverse();
  }

  #flip(port: number): void {
    const offset = port - this.#range.first;
    this.#bytes[offset >> 3] = (this.#bytes[offset >> 3] as number) ^ (1 << (offset & 7));
    this.#changed = true;
  }
}
