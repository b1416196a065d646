/**
 * Reads a request body from a Node stream into one buffer of its exact size. A body that arrives in one piece is not
 * copied; one of a declared length is copied once.
 * Invariant: holds at most twice the limit, for pieces of any size, and removes its listeners when it is done.
 */
import type { Readable } from 'node:stream';
import { allocateBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import type { BodyResult } from '../../server/http/exchange.ts';
import { GrowingBytes } from '../growing-bytes.ts';

export const EMPTY_BODY: BodyResult = { outcome: 'ok', bytes: EMPTY_BYTES };
export const TOO_LARGE: BodyResult = { outcome: 'too-large' };
export const ABORTED: BodyResult = { outcome: 'aborted' };

/** Returns the declared length, or -1 if there is none. The HTTP parser has validated the header. */
export function declaredLength(header: string | undefined): number {
  if (header === undefined || !/^[0-9]{1,15}$/.test(header)) return -1;
  return Number(header);
}

export class BodyReader {
  readonly #source: Readable;
  readonly #done: (result: BodyResult) => void;
  /** The declared length; -1 if unknown. */
  readonly #declared: number;
  /** The only piece of the body, or a buffer of the declared length. */
  #exact: Uint8Array | undefined;
  readonly #growing: GrowingBytes | undefined;
  readonly #onData = (chunk: Uint8Array): void => this.#take(chunk);
  readonly #onEnd = (): void => this.#finish();
  #size = 0;
  #settled = false;

  /** `declared` is -1 or at most `limit`. Calls `done` once. */
  constructor(source: Readable, declared: number, limit: number, done: (result: BodyResult) => void) {
    this.#source = source;
    this.#done = done;
    this.#declared = declared;
    this.#growing = declared < 0 ? new GrowingBytes(limit) : undefined;
  }

  start(): void {
    this.#source.on('data', this.#onData);
    this.#source.on('end', this.#onEnd);
  }

  /** Settles with `aborted`: the client disconnected or is too slow. */
  abort(): void {
    this.#settle(ABORTED);
  }

  #take(chunk: Uint8Array): void {
    if (this.#declared < 0) {
      if (this.#growing!.append(chunk)) return;
      this.#source.pause();
      this.#settle(TOO_LARGE);
      return;
    }
    const size = this.#size + chunk.byteLength;
    if (size > this.#declared) {
      this.abort();
      return;
    }
    if (chunk.byteLength === this.#declared) this.#exact = chunk;
    else {
      this.#exact ??= allocateBytes(this.#declared);
      this.#exact.set(chunk, this.#size);
    }
    this.#size = size;
  }

  #finish(): void {
    if (this.#declared < 0) this.#settle({ outcome: 'ok', bytes: this.#growing!.take() });
    else if (this.#size === this.#declared) this.#settle({ outcome: 'ok', bytes: this.#exact ?? EMPTY_BYTES });
    else this.abort();
  }

  #settle(result: BodyResult): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#source.off('data', this.#onData);
    this.#source.off('end', this.#onEnd);
    this.#done(result);
  }
}
