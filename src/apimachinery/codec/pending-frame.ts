/** The buffer of a frame that has not arrived completely. */
import { concatBytes } from '../../base/bytes.ts';

export class PendingFrame {
  #chunks: Uint8Array[] = [];
  size = 0;

  add(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.#chunks.push(bytes);
    this.size += bytes.byteLength;
  }

  /** Returns the whole frame, which ends with `last`. A frame that arrived in one piece is not copied. */
  finish(last: Uint8Array): Uint8Array {
    if (this.size === 0) return last;
    const frame = concatBytes([...this.#chunks, last]);
    this.#chunks = [];
    this.size = 0;
    return frame;
  }
}
