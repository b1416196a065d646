/**
 * A buffer for bytes that arrive in pieces of unknown number and size.
 * Invariant: it allocates at most twice the bytes that arrived, for pieces of any size (and at least 4 KiB).
 */
import { allocateBytes, copyBytes, EMPTY_BYTES } from '../base/bytes.ts';

const FIRST_SIZE = 4096;

export class GrowingBytes {
  readonly #limit: number;
  #buffer: Uint8Array = EMPTY_BYTES;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Copies a piece. Returns false, and copies nothing, if it would exceed the limit. */
  append(piece: Uint8Array): boolean {
    const size = this.#size + piece.length;
    if (size > this.#limit) return false;
    if (size > this.#buffer.length) {
      const room = Math.max(size, FIRST_SIZE, this.#buffer.length * 2);
      const larger = allocateBytes(Math.min(room, this.#limit));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#size);
    this.#size = size;
    return true;
  }

  /** Returns all bytes in a buffer of their exact size, and clears this one. */
  take(): Uint8Array {
    const bytes = this.#size === this.#buffer.length ? this.#buffer : copyBytes(this.#buffer.subarray(0, this.#size));
    this.#buffer = EMPTY_BYTES;
    this.#size = 0;
    return bytes;
  }
}
