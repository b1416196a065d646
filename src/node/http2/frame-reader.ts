/**
 * Splits the bytes that a peer sends into frames. A frame that arrives in one piece is not copied; any other is
 * copied once.
 */
import { FRAME_HEADER, FRAME_LIMIT, PREFACE, readUint31 } from './frames.ts';

export interface FrameConsumer {
  /**
   * Called for each whole frame, in order. The payload is `bytes.subarray(start, end)`; the consumer may keep it, as it
   * is not written to again. Returns false to stop reading.
   */
  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean;
  /** Called once, instead of a frame, if the preface is wrong or a frame is too large. Nothing is read after it. */
  unreadable(problem: 'preface' | 'frame-size'): void;
}

export class FrameReader {
  readonly #consumer: FrameConsumer;
  #preface = 0;
  /** The first bytes of an incomplete frame; `#size` of them are valid. */
  #partial: Buffer | undefined;
  #size = 0;
  #stopped = false;

  /** Only a client sends a preface. */
  constructor(consumer: FrameConsumer, from: 'client' | 'server' = 'client') {
    this.#consumer = consumer;
    if (from === 'server') this.#preface = PREFACE.length;
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

  /** Completes the partial frame. Returns the offset after the bytes that it took. */
  #complete(bytes: Buffer, from: number): number {
    let at = this.#keep(bytes, from, Math.min(bytes.length, from + Math.max(0, FRAME_HEADER - this.#size)));
    if (this.#size < FRAME_HEADER) return at;
    let partial = this.#partial as Buffer;
    const end = this.#wholeSize(partial, 0);
    if (this.#stopped) return at;
    if (partial.length < end) {
      partial = Buffer.allocUnsafeSlow(end);
      this.#partial?.copy(partial, 0, 0, this.#size);
      this.#partial = partial;
    }
    at = this.#keep(bytes, at, Math.min(bytes.length, at + end - this.#size));
    if (this.#size < end) return at;
    this.#size = 0;
    this.#partial = undefined;
    this.#hand(partial, 0, end);
    return at;
  }

  /** Copies bytes of an incomplete frame into a buffer of its size, once the header is known. */
  #keep(bytes: Buffer, from: number, to: number): number {
    this.#partial ??= Buffer.allocUnsafeSlow(to - from < FRAME_HEADER ? FRAME_HEADER : this.#wholeSize(bytes, from));
    bytes.copy(this.#partial, this.#size, from, to);
    this.#size += to - from;
    return to;
  }

  #wholeSize(bytes: Buffer, at: number): number {
    return FRAME_HEADER + this.#lengthAt(bytes, at);
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
