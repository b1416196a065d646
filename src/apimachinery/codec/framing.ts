/**
 * The framing of watch streams: JSON values one after the other, and messages with a 4-byte big-endian length.
 * Invariant: decoders accept chunks cut anywhere, keep at most one unfinished frame of bounded size, and take time
 * linear in the bytes.
 */
import { copyBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { PendingFrame } from './pending-frame.ts';

/** The default limit of a frame. The reference's streaming decoder has the same. */
export const MAX_FRAME_BYTES: number = 16 * 1024 * 1024;

export interface FramingOptions {
  /** Default MAX_FRAME_BYTES. */
  readonly maxFrameBytes?: number;
}

/** `offset` is counted in bytes from the start of the stream. */
export interface FramingError {
  readonly message: string;
  readonly offset: number;
}

export type Frames =
  | { readonly ok: true; readonly frames: readonly Uint8Array[] }
  | { readonly ok: false; readonly error: FramingError };

/** Splits a stream into frames. It must not be used after an error. */
export interface FrameDecoder {
  /** Returns the frames that this chunk completes. They may share memory with the chunk. */
  push(chunk: Uint8Array): Frames;
  /** Call at the end of the stream. An unfinished frame is an error (`unexpected EOF`). */
  end(): Frames;
}

const TOO_LARGE = 'object to decode was longer than maximum allowed size';
const NO_FRAMES: Frames = { ok: true, frames: [] };

/**
 * Splits JSON values, with or without white space between them. It finds only the ends of values; malformed content is
 * found by the reader of the frame. Outside a value only white space and the start of an object, array or string are
 * accepted.
 */
export class JsonFrameDecoder implements FrameDecoder {
  readonly #maxFrameBytes: number;
  readonly #pending: PendingFrame = new PendingFrame();
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isInside = false;
  #consumed = 0;

  constructor(options: FramingOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  }

  push(chunk: Uint8Array): Frames {
    const frames: Uint8Array[] = [];
    let start = 0;
    for (let i = 0; i < chunk.byteLength; i++) {
      const c = chunk[i] as number;
      if (!this.#isInside) {
        if (isSpace(c)) continue;
        if (c !== 0x7b && c !== 0x5b && c !== 0x22) {
          const shown = JSON.stringify(String.fromCharCode(c)).slice(1, -1);
          return this.#fail(`invalid character '${shown}' looking for beginning of value`, i);
        }
        this.#isInside = true;
        start = i;
      }
      if (!this.#isEnd(c)) continue;
      this.#isInside = false;
      if (this.#pending.size + i + 1 - start > this.#maxFrameBytes) return this.#tooLarge(i);
      frames.push(this.#pending.finish(chunk.subarray(start, i + 1)));
      start = i + 1;
    }
    if (this.#isInside) this.#pending.add(copyBytes(chunk.subarray(start)));
    if (this.#pending.size > this.#maxFrameBytes) return this.#tooLarge(chunk.byteLength);
    this.#consumed += chunk.byteLength;
    return frames.length === 0 ? NO_FRAMES : { ok: true, frames };
  }

  end(): Frames {
    return this.#isInside ? this.#fail('unexpected EOF', 0) : NO_FRAMES;
  }

  /** Consumes one byte of a value. Returns true if the value ends with it. */
  #isEnd(c: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (c === 0x5c) this.#escaped = true;
      else if (c === 0x22) {
        this.#inString = false;
        return this.#depth === 0;
      }
      return false;
    }
    if (c === 0x22) this.#inString = true;
    else if (c === 0x7b || c === 0x5b) this.#depth++;
    else if (c === 0x7d || c === 0x5d) return --this.#depth === 0;
    return false;
  }

  #tooLarge(at: number): Frames {
    return this.#fail(TOO_LARGE, at);
  }

  #fail(message: string, at: number): Frames {
    return { ok: false, error: { message, offset: this.#consumed + at } };
  }
}

function isSpace(c: number): boolean {
  return c === 0x0a || c === 0x20 || c === 0x0d || c === 0x09;
}

/** Splits messages with a 4-byte big-endian length. An empty message is a frame too. */
export class LengthDelimitedDecoder implements FrameDecoder {
  readonly #maxFrameBytes: number;
  readonly #pending: PendingFrame = new PendingFrame();
  /** The bytes that are missing from the header. */
  #headerLeft = 4;
  #length = 0;
  #consumed = 0;

  constructor(options: FramingOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  }

  push(chunk: Uint8Array): Frames {
    const frames: Uint8Array[] = [];
    let at = 0;
    for (;;) {
      for (; this.#headerLeft > 0 && at < chunk.byteLength; at++, this.#headerLeft--)
        this.#length = this.#length * 256 + (chunk[at] as number);
      if (this.#headerLeft > 0) break;
      if (this.#length > this.#maxFrameBytes) {
        return { ok: false, error: { message: TOO_LARGE, offset: this.#consumed + at } };
      }
      const missing = this.#length - this.#pending.size;
      if (chunk.byteLength - at < missing) {
        this.#pending.add(copyBytes(chunk.subarray(at)));
        break;
      }
      frames.push(
        missing === 0 && this.#length === 0 ? EMPTY_BYTES : this.#pending.finish(chunk.subarray(at, at + missing)),
      );
      at += missing;
      this.#headerLeft = 4;
      this.#length = 0;
    }
    this.#consumed += chunk.byteLength;
    return frames.length === 0 ? NO_FRAMES : { ok: true, frames };
  }

  end(): Frames {
    if (this.#headerLeft === 4) return NO_FRAMES;
    return { ok: false, error: { message: 'unexpected EOF', offset: this.#consumed } };
  }
}
