/**
 * The bodies of responses, as streams that a client reads, or as bytes. Invariant: a stream holds at most HIGH_WATER
 * unread bytes and one chunk; then its connection is not read until the client has read them.
 */
import { abortReason } from '../../base/abort.ts';
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';

/** Twice the bytes that a connection reads at once. */
const HIGH_WATER = 128 * 1024;
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

/**
 * A body that is read while it arrives. It is its own iterator, so that a chunk costs one promise. The bytes that have
 * arrived since the last chunk, or in one read of the connection, are one chunk: HTTP/2 frames are small, and readers
 * parse a large chunk faster than its parts.
 */
export class StreamedBody implements BodyReceiver, AsyncIterableIterator<Uint8Array> {
  readonly #signal: AbortSignalLike | undefined;
  #queue: Uint8Array[] = [];
  #bytes = 0;
  #isFull = false;
  /** Whether `#deliver` will run. */
  #isDelivering = false;
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
      this.#queue.push(chunk);
      this.#bytes += chunk.byteLength;
    }
    if (this.#waiting !== undefined && !this.#isDelivering) {
      this.#isDelivering = true;
      setImmediate(this.#deliver);
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
    this.#bytes = 0;
    if (this.#end === undefined) {
      this.#finish(end);
      this.#onClose?.();
    } else this.#end = end;
  }

  /** The frames of one read of the connection have arrived in one run. */
  readonly #deliver = (): void => {
    this.#isDelivering = false;
    const chunk = this.#waiting === undefined ? undefined : this.#take();
    if (chunk !== undefined) this.#wake().resolve({ done: false, value: chunk });
  };

  /** Returns all bytes that have arrived. */
  #take(): Uint8Array | undefined {
    const queue = this.#queue;
    if (queue.length === 0) return undefined;
    this.#queue = [];
    this.#bytes = 0;
    if (this.#isFull) {
      this.#isFull = false;
      if (this.#end === undefined) this.#onDrain?.();
    }
    return queue.length === 1 ? queue[0] : concatBytes(queue);
  }

  #finish(end: Error | null): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    // `#deliver` hands out the bytes that have arrived before the end.
    if (this.#waiting === undefined || this.#queue.length > 0) return;
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

  /** Calls `done` with the whole body, or `failed`. `failed` may be called several times, and after `done`. */
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
