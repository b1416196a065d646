/**
 * The sink of a streaming answer over a Node stream. A client that stops reading is disconnected at the exchange's
 * deadline.
 */
import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { totalLength } from '../../server/http/chunk-source.ts';
import type { AnswerHeaders, AnswerSink } from '../../server/http/exchange.ts';
import { NEVER } from '../deadline-wheel.ts';
import { writeGroup } from '../streams/writable-sink.ts';

/** The interface of an exchange that its sink uses. */
export interface SinkOwner {
  deadline: number;
  readonly isClosed: boolean;
  /** Returns the deadline for a client that has `bytes` to read. */
  deadlineFor(bytes: number): number;
  onClose(listener: () => void): void;
  abort(): void;
}

export class StreamSink implements AnswerSink {
  readonly #out: Writable;
  readonly #owner: SinkOwner;
  #onDrain: (() => void) | undefined;
  #ended = false;

  constructor(out: Writable, owner: SinkOwner) {
    this.#out = out;
    this.#owner = owner;
    out.on('drain', () => this.#drained());
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#ended || this.#owner.isClosed || chunks.length === 0) return !this.#ended && !this.#owner.isClosed;
    const ready = writeGroup(this.#out, chunks);
    if (!ready && this.#owner.deadline === NEVER)
      this.#owner.deadline = this.#owner.deadlineFor(this.#out.writableLength + totalLength(chunks));
    return ready;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(trailers?: AnswerHeaders): void {
    if (this.#ended || this.#owner.isClosed) return;
    this.#ended = true;
    this.#owner.deadline = this.#owner.deadlineFor(this.#out.writableLength);
    // Node omits trailers unless the body is chunked.
    if (trailers !== undefined && this.#out instanceof ServerResponse)
      this.#out.addTrailers(trailers as OutgoingHttpHeaders);
    this.#out.end();
  }

  abort(): void {
    this.#ended = true;
    this.#owner.abort();
  }

  onClose(listener: () => void): void {
    this.#owner.onClose(listener);
  }

  #drained(): void {
    if (this.#ended) return;
    this.#owner.deadline = NEVER;
    this.#onDrain?.();
  }
}
