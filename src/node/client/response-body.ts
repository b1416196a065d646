/**
 * The bodies of responses, as streams that a client reads, or as bytes. Invariant: a stream holds at most HIGH_WATER
 * unread bytes and one chunk; then its connection is not read until the client has read them.
 */
import { abortReason } from '../../base/abort.ts';
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';

const HIGH_WATER = 64 * 1024;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The receiver of a body. */
export interface BodyReceiver extends ByteSink {
  /** Whether all bytes have arrived, or a failure. */
  readonly isEnded: boolean;
  /** Ends the body with an error after the bytes that have arrived, unless it has ended. */
  fail(error: Error): void;
  /** Ends the body now. Unread bytes are dropped. */
  cancel(reason: Error): void;
}

/** A body that is read while it arrives. It is its own iterator, so that a chunk costs one promise. */
export class StreamedBody implements BodyReceiver, AsyncIterableIterator<Uint8Array> {
  readonly #signal: AbortSignalLike | undefined;
  #queue: Uint8Array[] = [];
  #at = 0;
  #bytes = 0;
  #isFull = false;
  /** How the iteration ends once the queue is empty: with an error, or cleanly (`null`). Undefined before the end. */
  #end: Error | null | undefined;
  #waiting: Deferred<IteratorResult<Uint8Array>> | undefined;
  #onDrain: (() => void) | undefined;
  #onClose: (() => void) | undefined;

  constructor(signal: AbortSignalLike | undefined) {
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#waiting !== undefined) return this.#waiting.promise.then(() => this.next());
    // The signal is not observed after the last byte has arrived.
    if (this.#signal?.aborted) this.cancel(abortReason(this.#signal));
    const chunk = this.#take();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    const end = this.#end;
    if (end === undefined) {
      this.#waiting = new Deferred();
      return this.#waiting.promise;
    }
    // An error is reported once, as generators do it.
    this.#end = null;
    return end === null ? Promise.resolve(DONE) : Promise.reject(end);
  }

  /** Called when the reader leaves its loop. */
  return(): Promise<IteratorResult<Uint8Array>> {
    this.#close(null);
    return Promise.resolve(DONE);
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#end !== undefined) return false;
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i]!;
      if (this.#waiting !== undefined) this.#wake().resolve({ done: false, value: chunk });
      else {
        this.#queue.push(chunk);
        this.#bytes += chunk.byteLength;
      }
    }
    this.#isFull = this.#bytes >= HIGH_WATER;
    return !this.#isFull;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(): void {
    this.#finish(null);
  }

  fail(error: Error): void {
    this.#finish(error);
  }

  /** The cause follows: see `fail`. */
  abort(): void {}

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  cancel(reason: Error): void {
    this.#close(reason);
  }

  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  #close(end: Error | null): void {
    this.#queue = [];
    this.#at = 0;
    if (this.#end === undefined) {
      this.#finish(end);
      this.#onClose?.();
    } else this.#end = end;
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#queue[this.#at];
    if (chunk === undefined) return undefined;
    this.#bytes -= chunk.byteLength;
    if (++this.#at === this.#queue.length) {
      this.#queue = [];
      this.#at = 0;
      if (this.#isFull) {
        this.#isFull = false;
        if (this.#end === undefined) this.#onDrain?.();
      }
    }
    return chunk;
  }

  #finish(end: Error | null): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (this.#waiting === undefined) return;
    this.#end = null;
    if (end === null) this.#wake().resolve(DONE);
    else this.#wake().reject(end);
  }

  #wake(): Deferred<IteratorResult<Uint8Array>> {
    const waiting = this.#waiting!;
    this.#waiting = undefined;
    return waiting;
  }
}

/** A short body, which is handed out as a whole. */
export class CollectedBody implements BodyReceiver {
  readonly #chunks: Uint8Array[] = [];
  readonly #done: (bytes: Uint8Array) => void;
  readonly #failed: (error: Error) => void;
  #onClose: (() => void) | undefined;
  #isEnded = false;

  /** One of the two is called, at least once. */
  constructor(done: (bytes: Uint8Array) => void, failed: (error: Error) => void) {
    this.#done = done;
    this.#failed = failed;
  }

  write(chunks: readonly Uint8Array[]): boolean {
    for (let i = 0; i < chunks.length; i++) this.#chunks.push(chunks[i]!);
    return true;
  }

  onDrain(): void {}

  end(): void {
    const chunks = this.#chunks;
    this.#isEnded = true;
    this.#done(chunks.length === 0 ? EMPTY_BYTES : chunks.length === 1 ? chunks[0]! : concatBytes(chunks));
  }

  fail(error: Error): void {
    this.#isEnded = true;
    this.#failed(error);
  }

  /** The cause follows: see `fail`. */
  abort(): void {}

  get isEnded(): boolean {
    return this.#isEnded;
  }

  cancel(reason: Error): void {
    this.fail(reason);
    this.#onClose?.();
  }

  onClose(listener: () => void): void {
    this.#onClose = listener;
  }
}
