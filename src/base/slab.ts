/**
 * Memory for many byte arrays, cut from slabs, because an allocation of its own costs an array about 200 bytes and a
 * microsecond. A full slab is replaced and lives as long as the arrays in it.
 * Invariant: no two arrays share a byte.
 */
import { allocateBytes, EMPTY_BYTES } from './bytes.ts';

export interface SlabOptions {
  /** Default 64 KiB. */
  readonly bytes?: number;
  /** A larger array gets an allocation of its own. Default 16 KiB. */
  readonly largest?: number;
}

export class Slab {
  readonly #size: number;
  readonly #largest: number;
  #bytes: Uint8Array = EMPTY_BYTES;
  #used = 0;

  constructor({ bytes = 64 * 1024, largest = 16 * 1024 }: SlabOptions = {}) {
    this.#size = bytes;
    this.#largest = largest;
  }

  /** `size` bytes of unspecified content. */
  readonly cut = (size: number): Uint8Array => {
    if (size > this.#largest) return allocateBytes(size);
    if (this.#bytes.length - this.#used < size) {
      this.#bytes = allocateBytes(this.#size);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += size;
    return this.#bytes.subarray(from, this.#used);
  };
}
