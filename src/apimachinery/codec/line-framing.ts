/**
 * The framing of watch streams by lines. Go's encoder writes each event on one line, so the search for the end of a
 * frame is one native search for a newline. A stream with a value on several lines is split by JsonFrameDecoder
 * instead, from that value on. Invariant: at most one unfinished frame of bounded size is kept, and the time is linear
 * in the bytes.
 */
import { copyBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { type FrameDecoder, type Frames, type FramingOptions, JsonFrameDecoder, MAX_FRAME_BYTES } from './framing.ts';
import { PendingFrame } from './pending-frame.ts';

const NEWLINE = 0x0a;
const NO_FRAMES: Frames = { ok: true, frames: [] };

export class JsonLineDecoder implements FrameDecoder {
  readonly #maxFrameBytes: number;
  readonly #pending: PendingFrame = new PendingFrame();
  /** Set once a line was not a whole value. */
  #byValue: JsonFrameDecoder | undefined;
  #consumed = 0;

  constructor(options: FramingOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? MAX_FRAME_BYTES;
  }

  push(chunk: Uint8Array): Frames {
    if (this.#byValue !== undefined) return this.#fromStart(this.#byValue.push(chunk));
    const frames: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#pending.size + end - start > this.#maxFrameBytes) return this.#tooLarge(end);
      const line = this.#pending.finish(chunk.subarray(start, end));
      if (isWhole(line)) frames.push(line);
      else if (!isBlank(line)) {
        this.#consumed += end - line.byteLength;
        return this.#splitByValue(frames, line, chunk.subarray(end));
      }
      start = end + 1;
    }
    this.#pending.add(copyBytes(chunk.subarray(start)));
    if (this.#pending.size > this.#maxFrameBytes) return this.#tooLarge(chunk.byteLength);
    this.#consumed += chunk.byteLength;
    return frames.length === 0 ? NO_FRAMES : { ok: true, frames };
  }

  end(): Frames {
    if (this.#byValue !== undefined) return this.#fromStart(this.#byValue.end());
    if (this.#pending.size === 0) return NO_FRAMES;
    // The last line may lack its newline.
    this.#consumed -= this.#pending.size;
    const last = this.#splitByValue([], this.#pending.finish(EMPTY_BYTES), EMPTY_BYTES);
    if (!last.ok) return last;
    const ended = this.end();
    return ended.ok ? last : ended;
  }

  /** Continues with JsonFrameDecoder. `#consumed` is the offset of the line from here on. */
  #splitByValue(frames: Uint8Array[], line: Uint8Array, rest: Uint8Array): Frames {
    this.#byValue = new JsonFrameDecoder({ maxFrameBytes: this.#maxFrameBytes });
    for (const bytes of [line, rest]) {
      const more = this.#byValue.push(bytes);
      if (!more.ok) return this.#fromStart(more);
      frames.push(...more.frames);
    }
    return { ok: true, frames };
  }

  #fromStart(frames: Frames): Frames {
    if (frames.ok) return frames;
    return { ok: false, error: { ...frames.error, offset: this.#consumed + frames.error.offset } };
  }

  #tooLarge(at: number): Frames {
    const message = 'object to decode was longer than maximum allowed size';
    return { ok: false, error: { message, offset: this.#consumed + at } };
  }
}

/** Whether a line begins and ends as an object. Its reader finds any other fault. */
function isWhole(line: Uint8Array): boolean {
  return line[0] === 0x7b && line[line.byteLength - 1] === 0x7d;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((c) => c === 0x20 || c === 0x0d || c === 0x09);
}
