/**
 * The allocator of the entries of an initial load. An allocation of its own costs an entry about 200 bytes, so the load
 * puts small entries into slabs.
 * Invariants: a slab has only entries of one load. It is freed with the last of them, so the memory that replaced entries
 * keep is at most the size of the load.
 */
import { allocateBytes } from '../base/bytes.ts';

const SLAB_BYTES = 32 * 1024;
/** Larger entries get an allocation of their own. */
const LARGEST = 8 * 1024;

export class LoadSlab {
  #slab: Uint8Array | undefined;
  #at = 0;

  /** `size` bytes of unspecified content. */
  readonly allocate = (size: number): Uint8Array => {
    if (size > LARGEST) return allocateBytes(size);
    if (this.#slab === undefined || this.#at + size > SLAB_BYTES) {
      this.#slab = allocateBytes(SLAB_BYTES);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += size;
    return this.#slab.subarray(from, this.#at);
  };
}
