/**
 * Splits the bytes that a peer sends into frames. A frame that arrives in one piece is not copied; any other is
 * copied once. A reader of a server's frames hands on the parts of a DATA frame as they arrive, each as a frame of its
 * own, so that a large body is not copied at all.
 */
import { FLAG, FRAME, FRAME_HEADER, FRAME_LIMIT, PREFACE, readUint31 } from './frames.ts';

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
  readonly #splitsData: boolean;
  #preface = 0;
  /** The first bytes of an incomplete frame; `#size` of them are valid. */
  #partial: Buffer | undefined;
  #size = 0;
  /** The bytes that are missing of a DATA frame whose first part was handed on, its flags and its stream. */
  #missing = 0;
  #flags = 0;
  #stream = 0;
  #stopped = false;

  /** Only a client sends a preface. */
  constructor(consumer: FrameConsumer, from: 'client' | 'server' = 'client') {
    this.#consumer = consumer;
    this.#splitsData = from === 'server';
    if (from === 'server') this.#preface = PREFACE.length;
  }

  read(bytes: Buffer): void {
    let at = this.#readPreface(bytes);
    if (this.#missing > 0 && !this.#stopped) at = this.#continueData(bytes, at);
    if (this.#size > 0 && !this.#stopped) at = this.#complete(bytes, at);
    while (!this.#stopped && bytes.length - at >= FRAME_HEADER) {
      const length = this.#lengthAt(bytes, at);
      const end = at + FRAME_HEADER + length;
      if (this.#stopped || end > bytes.length) break;
      this.#hand(bytes, at, end);
      at = end;
    }
    if (this.#stopped || at === bytes.length) return;
    if (this.#splitsData && bytes.length - at > FRAME_HEADER && this.#startData(bytes, at)) return;
    this.#keep(bytes, at, bytes.length);
  }

  /** Hands on the first part of an incomplete DATA frame. Returns false for other frames, and for padded ones. */
  #startData(bytes: Buffer, at: number): boolean {
    const flags = bytes[at + 4]!;
    if (bytes[at + 3] !== FRAME.data || (flags & FLAG.padded) !== 0) return false;
    this.#missing = this.#lengthAt(bytes, at);
    this.#flags = flags;
    this.#stream = readUint31(bytes, at + 5);
    this.#handData(bytes, at + FRAME_HEADER, bytes.length);
    return true;
  }

  #continueData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    if (end > at) this.#handData(bytes, at, end);
    return end;
  }

  /** Only the last part ends the stream. */
  #handData(bytes: Buffer, at: number, end: number): void {
    this.#missing -= end - at;
    const flags = this.#missing === 0 ? this.#flags : this.#flags & ~FLAG.endStream;
    if (!this.#consumer.frame(FRAME.data, flags, this.#stream, bytes, at, end)) this.#stopped = true;
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
