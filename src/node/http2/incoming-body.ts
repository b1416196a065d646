/**
 * The body of one HTTP/2 message. A body that arrives in one piece is not copied.
 * Invariant: it holds at most the stream's window before it is read, and at most twice the reader's limit afterwards,
 * for pieces of any size.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { allocateBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';
import type { BodyResult } from '../../server/http/exchange.ts';
import { GrowingBytes } from '../growing-bytes.ts';
import { ABORTED, EMPTY_BODY, TOO_LARGE } from '../http1/read-body.ts';
import { type BodyFlow, BodyPipe } from './body-pipe.ts';

export class IncomingBody {
  /** The declared length; -1 if none was declared. */
  readonly #declared: number;
  /** The only piece so far, by reference. */
  #first: Uint8Array | undefined;
  #growing: GrowingBytes | undefined;
  /** A buffer of the declared length, from `read` on. */
  #exact: Uint8Array | undefined;
  #size = 0;
  #ended = false;
  #trailers: HttpHeaders | undefined;
  #aborted = false;
  #done: ((result: BodyResult) => void) | undefined;
  /** Takes all bytes, from `pipe` on. */
  #pipe: BodyPipe | undefined;

  constructor(declared: number) {
    this.#declared = declared;
  }

  /**
   * Adds received bytes. Returns false if they exceed the declared length. At most `maxUnread` bytes can arrive before
   * `read`.
   */
  push(piece: Uint8Array, maxUnread: number): boolean {
    const at = this.#size;
    this.#size += piece.length;
    if (this.#declared >= 0 && this.#size > this.#declared) return false;
    if (this.#aborted) return true;
    if (this.#pipe !== undefined) this.#pipe.push(piece);
    else if (this.#exact !== undefined) this.#exact.set(piece, at);
    else if (this.#growing !== undefined) {
      if (!this.#growing.append(piece)) this.#discard(TOO_LARGE);
    } else if (at === 0) this.#first = piece;
    else {
      this.#growing = new GrowingBytes(maxUnread);
      this.#growing.append(this.#first ?? EMPTY_BYTES);
      this.#growing.append(piece);
      this.#first = undefined;
    }
    return true;
  }

  /** Counts the bytes of a discarded body. Returns false once the body exceeds its declared length. */
  skip(bytes: number): boolean {
    this.abort();
    this.#size += bytes;
    return this.#declared < 0 || this.#size <= this.#declared;
  }

  /**
   * Called when the peer has sent the whole body. Returns false if it is shorter than declared. `trailers` are handed
   * on to the sink of `pipe`.
   */
  end(trailers?: HttpHeaders): boolean {
    this.#ended = true;
    this.#trailers = trailers;
    if (this.#declared >= 0 && this.#size !== this.#declared) return false;
    this.#pipe?.end(trailers);
    if (this.#done !== undefined) this.#settle({ outcome: 'ok', bytes: this.#take() });
    return true;
  }

  abort(): void {
    this.#discard(ABORTED);
  }

  /** Reads the whole body; called at most once. Calls `onWait` if the body is not complete yet. */
  read(limit: number, onWait: () => void): MaybePromise<BodyResult> {
    if (this.#aborted) return ABORTED;
    if (this.#declared > limit || this.#size > limit) return TOO_LARGE;
    if (this.#ended) return this.#size === 0 ? EMPTY_BODY : { outcome: 'ok', bytes: this.#take() };
    this.#prepare(limit);
    return new Promise((resolve) => {
      this.#done = resolve;
      onWait();
    });
  }

  get isPiped(): boolean {
    return this.#pipe !== undefined;
  }

  /** Streams the body into the sink instead; called at most once. `maxHeld` is the window of the stream. */
  pipe(sink: ByteSink, flow: BodyFlow, maxHeld: number): void {
    if (this.#aborted) {
      sink.abort();
      return;
    }
    this.#pipe = new BodyPipe(sink, flow, maxHeld);
    this.#pipe.start(this.#take());
    if (this.#ended) this.#pipe.end(this.#trailers);
  }

  #prepare(limit: number): void {
    const soFar = this.#size === 0 ? EMPTY_BYTES : this.#take();
    if (this.#declared >= 0) {
      this.#exact = allocateBytes(this.#declared);
      this.#exact.set(soFar);
    } else {
      this.#growing = new GrowingBytes(limit);
      this.#growing.append(soFar);
    }
  }

  #take(): Uint8Array {
    const bytes = this.#exact ?? this.#first ?? this.#growing?.take() ?? EMPTY_BYTES;
    this.#first = undefined;
    this.#growing = undefined;
    return bytes;
  }

  /** Settles the reader, if there is one, and drops all bytes. */
  #discard(result: BodyResult): void {
    this.#aborted = true;
    this.#pipe?.abort();
    this.#first = undefined;
    this.#settle(result);
    this.#growing = undefined;
  }

  #settle(result: BodyResult): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    this.#exact = undefined;
    this.#growing = undefined;
    this.#first = undefined;
    done(result);
  }
}
