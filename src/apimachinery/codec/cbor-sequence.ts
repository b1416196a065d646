/**
 * Cuts a CBOR sequence (the framing of CBOR watches) into items. Invariant: as the other frame decoders: chunks may be cut anywhere, one
 * unfinished item of bounded size is kept. It knows only where items end; decoding an item finds what is wrong inside.
 */
import { copyBytes } from '../../base/bytes.ts';
import { MAX_JSON_DEPTH } from '../../base/json-read.ts';
import { type FrameDecoder, type Frames, type FramingOptions, MAX_FRAME_BYTES } from './framing.ts';
import { PendingFrame } from './pending-frame.ts';

/** Stands in the stack for a container that a break ends. */
const INDEFINITE = -1;

export class CborSequenceDecoder implements FrameDecoder {
  readonly #maxFrameBytes: number;
  readonly #pending: PendingFrame = new PendingFrame();
  /** Items still missing from each open container. */
  #open: number[] = [];
  /** Bytes of a string that are to be passed over. */
  #skip = 0;
  /** The head that is being read: its first byte, the bytes of its argument still missing, and the argument so far. */
  #first = -1;
  #argumentLeft = 0;
  #argument = 0;
  #consumed = 0;

  constructor(options: FramingOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  }

  push(chunk: Uint8Array): Frames {
    const frames: Uint8Array[] = [];
    let start = 0;
    for (let at = 0; at < chunk.byteLength; ) {
      let isEnd: boolean;
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.byteLength - at);
        at += step;
        this.#skip -= step;
        isEnd = this.#skip === 0 && this.#itemDone();
      } else {
        const problem = this.#headByte(chunk[at] as number);
        if (problem !== undefined) return this.#fail(problem, at);
        at++;
        isEnd = this.#argumentLeft === 0 && this.#headDone();
        if (this.#open.length > MAX_JSON_DEPTH)
          return this.#fail(`cbor: exceeded max nested level ${MAX_JSON_DEPTH}`, at);
      }
      if (this.#pending.size + at - start + this.#skip > this.#maxFrameBytes)
        return this.#fail('object to decode was longer than maximum allowed size', at);
      if (!isEnd) continue;
      const piece = chunk.subarray(start, at);
      frames.push(this.#pending.finish(piece));
      start = at;
    }
    if (start < chunk.byteLength) this.#pending.add(copyBytes(chunk.subarray(start)));
    this.#consumed += chunk.byteLength;
    return { ok: true, frames };
  }

  end(): Frames {
    return this.#pending.size === 0 ? { ok: true, frames: [] } : this.#fail('unexpected EOF', 0);
  }

  /** Takes one byte of a head; a text if it cannot stand there. */
  #headByte(byte: number): string | undefined {
    if (this.#argumentLeft > 0) {
      this.#argument = this.#argument * 256 + byte;
      this.#argumentLeft--;
      return undefined;
    }
    const info = byte & 0x1f;
    if (info > 27 && info < 31) return `cbor: invalid additional information ${info}`;
    if (byte === 0xff && this.#open.at(-1) !== INDEFINITE) return 'cbor: unexpected "break" code';
    if (info === 31 && (byte >> 5 < 2 || byte >> 5 === 6)) return 'cbor: invalid additional information 31';
    this.#first = byte;
    this.#argument = info < 24 ? info : 0;
    this.#argumentLeft = info < 24 || info === 31 ? 0 : 2 ** (info - 24);
    return undefined;
  }

  /** A whole head has been read; true if a top-level item ends with it. */
  #headDone(): boolean {
    const major = this.#first >> 5;
    const isIndefinite = (this.#first & 0x1f) === 31;
    if (major === 7 && isIndefinite) {
      this.#open.pop();
      return this.#itemDone();
    }
    if (isIndefinite) {
      this.#open.push(INDEFINITE);
      return false;
    }
    if (major === 6) {
      this.#open.push(1);
      return false;
    }
    if ((major === 2 || major === 3) && this.#argument > 0) {
      this.#skip = this.#argument;
      return false;
    }
    if ((major === 4 || major === 5) && this.#argument > 0) {
      this.#open.push(major === 5 ? this.#argument * 2 : this.#argument);
      return false;
    }
    return this.#itemDone();
  }

  /** An item ended: so do the containers whose last one it was. */
  #itemDone(): boolean {
    for (let top = this.#open.length - 1; top >= 0; top--) {
      const left = this.#open[top] as number;
      if (left === INDEFINITE) return false;
      if (left > 1) {
        this.#open[top] = left - 1;
        return false;
      }
      this.#open.pop();
    }
    return true;
  }

  #fail(message: string, at: number): Frames {
    return { ok: false, error: { message, offset: this.#consumed + at } };
  }
}
