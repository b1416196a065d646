/** Bytes that arrive in pieces of unknown number and size. Invariant: holds at most twice what arrived, however small the pieces were. */
import { allocateBytes, copyBytes, EMPTY_BYTES } from '../base/bytes.ts';

const FIRST_GUESS = 4096;

export class GrowingBytes {
  readonly #limit: number;
  #buffer: Uint8Array = EMPTY_BYTES;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Copies a piece; false, and nothing is taken, if it would pass the limit. */
  append(piece: Uint8Array): boolean {
    const size = this.#size + piece.byteLength;
    if (size > this.#limit) return false;
    if (size > this.#buffer.byteLength) {
      const room = Math.max(size, FIRST_GUESS, this.#buffer.byteLength * 2);
      const larger = allocateBytes(Math.min(room, this.#limit));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#size);
    this.#size = size;
    return true;
  }

  /** Everything so far, in a buffer of its exact size; empty afterwards. */
  take(): Uint8Array {
    const bytes =
      this.#size === this.#buffer.byteLength ? this.#buffer : copyBytes(this.#buffer.subarray(0, this.#size));
    this.#buffer = EMPTY_BYTES;
    this.#size = 0;
    return bytes;
  }
}
