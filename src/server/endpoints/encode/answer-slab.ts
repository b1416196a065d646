/**
 * Memory for the bodies of small answers, cut from a slab, because one allocation per answer costs more. A full slab is
 * replaced and lives as long as the answers in it.
 *
 * Invariant: no two answers share a byte. Bytes that a cache keeps must not come from here, because they would keep the
 * whole slab alive.
 */
import { allocateBytes } from '../../../base/bytes.ts';

const SLAB_BYTES = 64 * 1024;

export class AnswerSlab {
  #bytes: Uint8Array = new Uint8Array(0);
  #used = 0;

  /** Returns uninitialized bytes, at most SLAB_BYTES. */
  cut(size: number): Uint8Array {
    if (this.#bytes.length - this.#used < size) {
      this.#bytes = allocateBytes(SLAB_BYTES);
      this.#used = 0;
    }
    const cut = this.#bytes.subarray(this.#used, this.#used + size);
    this.#used += size;
    return cut;
  }
}
