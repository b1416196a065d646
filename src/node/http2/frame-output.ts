/**
 * Where a connection puts the frames of one turn of the event loop, so that they leave in one write. Invariant: it holds nothing of anybody between two turns; bytes are copied once, into a slab that several connections use
 * one after the other, and that is written to again when the last of them has said that its bytes are gone.
 */
import { FLAG, FRAME, FRAME_HEADER, FRAME_LIMIT, writeFrameHead } from './frames.ts';

/** Small, because a piece that a slow client does not take keeps all of it. */
const SLAB_BYTES = 64 * 1024;
/** Slabs kept for later: what is written to again and again stays in the processor's cache. */
const MOST_SPARE = 8;

interface Slab {
  readonly bytes: Buffer;
  /** Writes under way that hold a piece of it. */
  users: number;
}

/** What one turn writes, until it is gone. */
export interface Written {
  readonly pieces: readonly Buffer[];
  readonly size: number;
  readonly slabs: readonly Slab[];
}

/** A source that can copy its bytes to where they are wanted. */
export interface Filler {
  fill(into: Uint8Array, at: number, room: number): number;
}

const NO_SLAB: Slab = { bytes: Buffer.alloc(0), users: 0 };

export class FrameOutput {
  #slab: Slab = NO_SLAB;
  #start = 0;
  #end = 0;
  /** Where the last frame of DATA begins. */
  #begun = 0;
  #pieces: Buffer[] = [];
  #slabs: Slab[] = [];
  #size = 0;
  readonly #spare: Slab[] = [];
  readonly #spareLarge: Slab[] = [];

  /** Bytes since the last `take`. */
  get size(): number {
    return this.#size + this.#end - this.#start;
  }

  /** Everything since the last call; undefined if that is nothing. It must be given to `release` when it is written. */
  take(): Written | undefined {
    this.#cut();
    if (this.#size === 0) return undefined;
    const written = { pieces: this.#pieces, size: this.#size, slabs: this.#slabs };
    this.#pieces = [];
    this.#slabs = [];
    this.#size = 0;
    // A large one is for one connection.
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

  /** So many bytes will come: they had better lie in one piece. */
  expect(bytes: number): void {
    if (this.#end + bytes <= this.#slab.bytes.length) return;
    this.#cut();
    const before = this.#slab;
    this.#use(this.#free(bytes));
    // Nobody else will say that it is free.
    if (before.users === 0 && before !== NO_SLAB) this.#keep(before);
  }

  bytes(bytes: Uint8Array): void {
    this.expect(bytes.length);
    this.#slab.bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** A header block, in as many frames as it needs. */
  headers(stream: number, block: Uint8Array, endStream: boolean): void {
    let from = 0;
    do {
      const to = Math.min(block.length, from + FRAME_LIMIT);
      const flags = (endStream && from === 0 ? FLAG.endStream : 0) | (to === block.length ? FLAG.endHeaders : 0);
      this.expect(FRAME_HEADER + to - from);
      const { bytes } = this.#slab;
      writeFrameHead(bytes, this.#end, to - from, from === 0 ? FRAME.headers : FRAME.continuation, flags, stream);
      this.#end += FRAME_HEADER;
      bytes.set(block.subarray(from, to), this.#end);
      this.#end += to - from;
      from = to;
    } while (from < block.length);
  }

  /** Makes room for a frame of DATA whose bytes follow with `data` or `fill`. */
  beginData(most: number): void {
    this.expect(FRAME_HEADER + most);
    this.#begun = this.#end;
    this.#end += FRAME_HEADER;
  }

  data(chunk: Uint8Array, from: number, to: number): void {
    this.#slab.bytes.set(to - from === chunk.length ? chunk : chunk.subarray(from, to), this.#end);
    this.#end += to - from;
  }

  /** The same for bytes that the source copies by itself; how many they were. */
  fill(source: Filler, room: number): number {
    const size = source.fill(this.#slab.bytes, this.#end, room);
    this.#end += size;
    return size;
  }

  /** Takes back a frame that was begun, and what it holds. */
  dropData(): void {
    this.#end = this.#begun;
  }

  /** Ends a frame of so many bytes. */
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

  /** For later, if there are not enough already. */
  #keep(slab: Slab): void {
    const spare = slab.bytes.length > SLAB_BYTES ? this.#spareLarge : this.#spare;
    if (spare.length < MOST_SPARE) spare.push(slab);
  }

  #free(bytes: number): Slab {
    if (bytes <= SLAB_BYTES) return this.#spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(SLAB_BYTES), users: 0 };
    const large = this.#spareLarge.pop();
    if (large !== undefined && large.bytes.length >= bytes) return large;
    return { bytes: Buffer.allocUnsafeSlow(bytes), users: 0 };
  }
}
