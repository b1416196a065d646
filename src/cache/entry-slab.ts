/**
 * The allocator of entries that are made together: those of an initial load, and those that `settler.ts` moves. An
 * allocation of its own costs an entry about 200 bytes, so small entries are put into slabs.
 * Invariant: a slab has only entries of one load, or of one pass of the settler. It is freed with the last of them.
 */
import { allocateBytes } from '../base/bytes.ts';

const SLAB_BYTES = 32 * 1024;
/** Larger entries get an allocation of their own. */
export const LARGEST_IN_SLAB: number = 8 * 1024;

export class EntrySlab {
  #slab: Uint8Array | undefined;
  #at = 0;

  /** `size` bytes of unspecified content. */
  readonly allocate = (size: number): Uint8Array => {
    if (size > LARGEST_IN_SLAB) return allocateBytes(size);
    if (this.#slab === undefined || this.#at + size > SLAB_BYTES) {
      this.#slab = allocateBytes(SLAB_BYTES);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += size;
    return this.#slab.subarray(from, this.#at);
  };
}
