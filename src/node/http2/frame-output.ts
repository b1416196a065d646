/**
 * The output buffer of HTTP/2 connections: collects the frames of one connection's flush, so that they leave in one
 * write. Bytes are copied once, into slabs that all connections of a listener share.
 * Invariant: the buffer is empty between two flushes, and a slab is reused only after `release` was called for every
 * write that holds a part of it.
 */
import { FLAG, FRAME, FRAME_HEADER, FRAME_LIMIT, writeFrameHead } from './frames.ts';

/** Small, because one piece that a slow client does not take keeps the whole slab. */
const SLAB_BYTES = 64 * 1024;
/** Slabs kept for reuse. Memory that is written again and again stays in the processor's cache. */
const MAX_SPARE = 8;

interface Slab {
  readonly bytes: Buffer;
  /** The number of unreleased writes that hold a part of the slab. */
  users: number;
}

/** The output of one flush. */
export interface Written {
  readonly pieces: readonly Buffer[];
  readonly size: number;
  readonly slabs: readonly Slab[];
}

/** A chunk source that can copy its bytes into a given buffer; see `ChunkSource.fill`. */
export interface Filler {
  fill(into: Uint8Array, at: number, room: number): number;
}

const NO_SLAB: Slab = { bytes: Buffer.alloc(0), users: 0 };

export class FrameOutput {
  #slab: Slab = NO_SLAB;
  #start = 0;
  #end = 0;
  /** Offset of the last DATA frame. */
  #begun = 0;
  #pieces: Buffer[] = [];
  #slabs: Slab[] = [];
  #size = 0;
  readonly #spare: Slab[] = [];
  readonly #spareLarge: Slab[] = [];

  /** The number of bytes since the last `take`. */
  get size(): number {
    return this.#size + this.#end - this.#start;
  }

  /**
   * Returns the bytes since the last call, or undefined if there are none. The caller must pass it to `release` once
   * it is sent.
   */
  take(): Written | undefined {
    this.#cut();
    if (this.#size === 0) return undefined;
    const written = { pieces: this.#pieces, size: this.#size, slabs: this.#slabs };
    this.#pieces = [];
    this.#slabs = [];
    this.#size = 0;
    // A large slab is not shared with the next connection.
    if (this.#slab.bytes.length > SLAB_BYTES) this.#use(NO_SLAB);
    return written;
  }

  release({ slabs }: Written): void {
    for (let i = 0; i < slabs.length; i++) {
      const slab = slabs[i]!;
      if (--slab.users > 0) continue;
      if (slab === this.#slab) {
        if (this.size === 0) this.#use(slab);
        continue;
      }
      this.#keep(slab);
    }
  }

  /** Makes room for `bytes` in one piece. */
  expect(bytes: number): void {
    if (this.#end + bytes <= this.#slab.bytes.length) return;
    this.#cut();
    const before = this.#slab;
    this.#use(this.#free(bytes));
    // No pending write will release it.
    if (before.users === 0 && before !== NO_SLAB) this.#keep(before);
  }

  bytes(bytes: Uint8Array): void {
    this.expect(bytes.length);
    this.#slab.bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Writes a header block as HEADERS and CONTINUATION frames. */
  headers(stream: number, block: Uint8Array, endStream: boolean): void {
    let from = 0;
    do {
      const to = Math.min(block.length, from + FRAME_LIMIT);
      const flags = (endStream && from === 0 ? FLAG.endStream : 0) | (to === block.length ? FLAG.endHeaders : 0);
      this.expect(FRAME_HEADER + to - from);
      const { bytes } = this.#slab;
      writeFrameHead(bytes, this.#end, to - from, from === 0 ? FRAME.headers : FRAME.continuation, flags, stream);
      this.#end += FRAME_HEADER;
      bytes.set(to - from === block.length ? block : block.subarray(from, to), this.#end);
      this.#end += to - from;
      from = to;
    } while (from < block.length);
  }

  /** Begins a DATA frame of at most `maxBytes`, whose bytes follow with `data` or `fill`. */
  beginData(maxBytes: number): void {
    this.expect(FRAME_HEADER + maxBytes);
    this.#begun = this.#end;
    this.#end += FRAME_HEADER;
  }

  data(chunk: Uint8Array, from: number, to: number): void {
    this.#slab.bytes.set(to - from === chunk.length ? chunk : chunk.subarray(from, to), this.#end);
    this.#end += to - from;
  }

  /** Lets the source copy its bytes into the frame. Returns their number. */
  fill(source: Filler, room: number): number {
    const size = source.fill(this.#slab.bytes, this.#end, room);
    this.#end += size;
    return size;
  }

  /** Discards the frame that was begun, with its bytes. */
  dropData(): void {
    this.#end = this.#begun;
  }

  /** Completes the frame, which has `length` bytes. */
  endData(stream: number, length: number, endStream: boolean): void {
    const at = this.#end - length - FRAME_HEADER;
    writeFrameHead(this.#slab.bytes, at, length, FRAME.data, endStream ? FLAG.endStream : 0, stream);
  }

  #cut(): void {
    if (this.#end === this.#start) return;
    const slab = this.#slab;
    this.#pieces.push(slab.bytes.subarray(this.#start, this.#end));
    this.#slabs.push(slab);
    slab.users++;
    this.#size += this.#end - this.#start;
    this.#start = this.#end;
  }

  #use(slab: Slab): void {
    this.#slab = slab;
    this.#start = 0;
    this.#end = 0;
  }

  /** Keeps the slab for reuse, unless enough are kept. */
  #keep(slab: Slab): void {
    const spare = slab.bytes.length > SLAB_BYTES ? this.#spareLarge : this.#spare;
    if (spare.length < MAX_SPARE) spare.push(slab);
  }

  #free(bytes: number): Slab {
    if (bytes <= SLAB_BYTES) return this.#spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), users: 0 };
    const large = this.#spareLarge.pop();
    if (large !== undefined && large.bytes.length >= bytes) return large;
    return { bytes: Buffer.allocUnsafeSlow(bytes), users: 0 };
  }
}
