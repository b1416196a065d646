/**
 * Where a connection puts the frames of one turn of the event loop, so that they leave in one write. Invariant: it holds nothing between two turns; bytes are copied once, into a slab that several
 * connections use one after the other and nobody writes to again.
 */
import { FLAG, FRAME, FRAME_HEADER, FRAME_LIMIT, writeFrameHead } from './frames.ts';

/** Small, because a piece that a slow client does not take keeps all of it. */
const SLAB_BYTES = 64 * 1024;

export class FrameOutput {
  #slab: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #pieces: Buffer[] = [];
  #size = 0;

  /** Bytes since the last `take`. */
  get size(): number {
    return this.#size + this.#end - this.#start;
  }

  /** Everything since the last call. */
  take(): Buffer[] {
    this.#cut();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#size = 0;
    return pieces;
  }

  /** So many bytes will come: they had better lie in one piece. */
  expect(bytes: number): void {
    if (this.#end + bytes <= this.#slab.length) return;
    this.#cut();
    this.#slab = Buffer.allocUnsafeSlow(Math.max(bytes, SLAB_BYTES));
    this.#start = 0;
    this.#end = 0;
  }

  bytes(bytes: Uint8Array): void {
    this.expect(bytes.length);
    this.#slab.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** A header block, in as many frames as it needs. */
  headers(stream: number, block: Uint8Array, endStream: boolean): void {
    let from = 0;
    do {
      const to = Math.min(block.length, from + FRAME_LIMIT);
      const flags = (endStream && from === 0 ? FLAG.endStream : 0) | (to === block.length ? FLAG.endHeaders : 0);
      this.expect(FRAME_HEADER + to - from);
      writeFrameHead(this.#slab, this.#end, to - from, from === 0 ? FRAME.headers : FRAME.continuation, flags, stream);
      this.#end += FRAME_HEADER;
      this.#slab.set(block.subarray(from, to), this.#end);
      this.#end += to - from;
      from = to;
    } while (from < block.length);
  }

  /** Makes room for a frame of DATA whose bytes follow with `data`. */
  beginData(most: number): void {
    this.expect(FRAME_HEADER + most);
    this.#end += FRAME_HEADER;
  }

  data(chunk: Uint8Array, from: number, to: number): void {
    this.#slab.set(to - from === chunk.length ? chunk : chunk.subarray(from, to), this.#end);
    this.#end += to - from;
  }

  /** Ends a frame of so many bytes. */
  endData(stream: number, length: number, endStream: boolean): void {
    const at = this.#end - length - FRAME_HEADER;
    writeFrameHead(this.#slab, at, length, FRAME.data, endStream ? FLAG.endStream : 0, stream);
  }

  #cut(): void {
    if (this.#end === this.#start) return;
    this.#pieces.push(this.#slab.subarray(this.#start, this.#end));
    this.#size += this.#end - this.#start;
    this.#start = this.#end;
  }
}
