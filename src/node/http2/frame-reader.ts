/**
 * Cuts what a client sends into frames. Invariant: a frame that arrives in one piece is handed out where it lies; the bytes of one that does not are copied once, however small
 * the pieces are.
 */
import { FRAME_HEADER, FRAME_LIMIT, PREFACE, readUint31 } from './frames.ts';

export interface FrameConsumer {
  /** A whole frame; the payload is `bytes.subarray(start, end)`, which nobody writes to again. False: take no more. */
  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean;
  /** What follows is not the preface of HTTP/2, or a frame larger than we allow. Nothing more is read. */
  unreadable(problem: 'preface' | 'frame-size'): void;
}

export class FrameReader {
  readonly #consumer: FrameConsumer;
  #preface = 0;
  /** The beginning of a frame whose end has not come. */
  #partial: Buffer | undefined;
  #size = 0;
  #stopped = false;

  constructor(consumer: FrameConsumer) {
    this.#consumer = consumer;
  }

  read(bytes: Buffer): void {
    let at = this.#readPreface(bytes);
    if (this.#size > 0 && !this.#stopped) at = this.#complete(bytes, at);
    while (!this.#stopped && bytes.length - at >= FRAME_HEADER) {
      const length = this.#lengthAt(bytes, at);
      const end = at + FRAME_HEADER + length;
      if (this.#stopped || end > bytes.length) break;
      this.#hand(bytes, at, end);
      at = end;
    }
    if (!this.#stopped && at < bytes.length) this.#keep(bytes, at, bytes.length);
  }

  #readPreface(bytes: Buffer): number {
    let at = 0;
    while (this.#preface < PREFACE.length && at < bytes.length && !this.#stopped) {
      if (bytes[at] === PREFACE[this.#preface]) {
        at++;
        this.#preface++;
      } else this.#stop('preface');
    }
    return at;
  }

  /** Adds to the frame that is kept; behind what it took. */
  #complete(bytes: Buffer, from: number): number {
    let at = this.#keep(bytes, from, Math.min(bytes.length, from + Math.max(0, FRAME_HEADER - this.#size)));
    if (this.#size < FRAME_HEADER) return at;
    const partial = this.#partial as Buffer;
    const end = FRAME_HEADER + this.#lengthAt(partial, 0);
    if (this.#stopped) return at;
    at = this.#keep(bytes, at, Math.min(bytes.length, at + end - this.#size));
    if (this.#size < end) return at;
    this.#size = 0;
    this.#partial = undefined;
    this.#hand(partial, 0, end);
    return at;
  }

  #keep(bytes: Buffer, from: number, to: number): number {
    this.#partial ??= Buffer.allocUnsafeSlow(FRAME_HEADER + FRAME_LIMIT);
    bytes.copy(this.#partial, this.#size, from, to);
    this.#size += to - from;
    return to;
  }

  #lengthAt(bytes: Buffer, at: number): number {
    const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    if (length > FRAME_LIMIT) this.#stop('frame-size');
    return length;
  }

  #hand(bytes: Buffer, at: number, end: number): void {
    const goesOn = this.#consumer.frame(
      bytes[at + 3]!,
      bytes[at + 4]!,
      readUint31(bytes, at + 5),
      bytes,
      at + FRAME_HEADER,
      end,
    );
    if (!goesOn) this.#stopped = true;
  }

  #stop(problem: 'preface' | 'frame-size'): void {
    this.#stopped = true;
    this.#consumer.unreadable(problem);
  }
}
