/** The frame of a length-delimited stream that has not arrived in full. */
import { concatBytes } from '../../base/bytes.ts';

/** Bytes of a frame that came in several chunks. */
export class PendingFrame {
  #chunks: Uint8Array[] = [];
  size = 0;

  add(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.#chunks.push(bytes);
    this.size += bytes.byteLength;
  }

  /** All of it with `last` at the end; a frame that came in one piece is not copied. */
  finish(last: Uint8Array): Uint8Array {
    if (this.size === 0) return last;
    const frame = concatBytes([...this.#chunks, last]);
    this.#chunks = [];
    this.size = 0;
    return frame;
  }
}
