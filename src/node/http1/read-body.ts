/**
 * Reads a request body from a Node stream into one buffer of its exact size. Invariant: never holds more than twice the limit (however small the
 * pieces are that it comes in), copies each byte once if the length was declared and not at all if it came in one piece, and leaves no listener behind.
 */
import type { Readable } from 'node:stream';
import { allocateBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import type { BodyResult } from '../../server/http/exchange.ts';
import { GrowingBytes } from '../growing-bytes.ts';

export const EMPTY_BODY: BodyResult = { outcome: 'ok', bytes: EMPTY_BYTES };
export const TOO_LARGE: BodyResult = { outcome: 'too-large' };
export const ABORTED: BodyResult = { outcome: 'aborted' };

/** The declared length, -1 if there is none. What the header says was checked by the HTTP parsers. */
export function declaredLength(header: string | undefined): number {
  if (header === undefined || !/^[0-9]{1,15}$/.test(header)) return -1;
  return Number(header);
}

export class BodyReader {
  readonly #source: Readable;
  readonly #done: (result: BodyResult) => void;
  /** -1: unknown. */
  readonly #declared: number;
  /** Of the declared length: the one piece that the body came in, or made for several. */
  #exact: Uint8Array | undefined;
  readonly #growing: GrowingBytes | undefined;
  readonly #onData = (chunk: Uint8Array): void => this.#take(chunk);
  readonly #onEnd = (): void => this.#finish();
  #size = 0;
  #settled = false;

  /** Starts reading at once. `declared` is -1 or at most `limit`. */
  constructor(source: Readable, declared: number, limit: number, done: (result: BodyResult) => void) {
    this.#source = source;
    this.#done = done;
    this.#declared = declared;
    this.#growing = declared < 0 ? new GrowingBytes(limit) : undefined;
    source.on('data', this.#onData);
    source.on('end', this.#onEnd);
  }

  /** The client is gone, or too slow. */
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
