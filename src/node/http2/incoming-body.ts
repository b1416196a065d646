/**
 * The body of one request. Invariant: it holds at most the stream's window before somebody reads it and twice the reader's limit afterwards, however small the pieces are that it comes in; a body that
 * came in one piece is not copied.
 */
import { allocateBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { BodyResult } from '../../server/http/exchange.ts';
import { GrowingBytes } from '../growing-bytes.ts';
import { ABORTED, EMPTY_BODY, TOO_LARGE } from '../http1/read-body.ts';

export class IncomingBody {
  /** -1: unknown. */
  readonly #declared: number;
  /** The only piece so far, where it lies. */
  #first: Uint8Array | undefined;
  #growing: GrowingBytes | undefined;
  /** Of the declared length, once somebody reads. */
  #exact: Uint8Array | undefined;
  #size = 0;
  #ended = false;
  #aborted = false;
  #done: ((result: BodyResult) => void) | undefined;

  constructor(declared: number) {
    this.#declared = declared;
  }

  /** False: more than was declared. `mostUnread` is what can come before somebody reads. */
  push(piece: Uint8Array, mostUnread: number): boolean {
    const at = this.#size;
    this.#size += piece.length;
    if (this.#declared >= 0 && this.#size > this.#declared) return false;
    if (this.#aborted) return true;
    if (this.#exact !== undefined) this.#exact.set(piece, at);
    else if (this.#growing !== undefined) {
      if (!this.#growing.append(piece)) this.#give(TOO_LARGE);
    } else if (at === 0) this.#first = piece;
    else {
      this.#growing = new GrowingBytes(mostUnread);
      this.#growing.append(this.#first ?? EMPTY_BYTES);
      this.#growing.append(piece);
      this.#first = undefined;
    }
    return true;
  }

  /** Bytes that nobody wants any more are only counted. False: more than was declared. */
  skip(bytes: number): boolean {
    this.abort();
    this.#size += bytes;
    return this.#declared < 0 || this.#size <= this.#declared;
  }

  /** The client has sent all. False: less than was declared. */
  end(): boolean {
    this.#ended = true;
    if (this.#declared >= 0 && this.#size !== this.#declared) return false;
    if (this.#done !== undefined) this.#settle({ outcome: 'ok', bytes: this.#take() });
    return true;
  }

  abort(): void {
    this.#give(ABORTED);
  }

  /** Once. `onWait` is called if not all of it is there. */
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

  /** Nothing is kept any more. */
  #give(result: BodyResult): void {
    this.#aborted = true;
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
