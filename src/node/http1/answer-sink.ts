/**
 * The sink of a streaming answer over a Node stream. Invariant: after the stream is gone nothing is written and `onClose` has called
 * back once; a reader that stops taking is given the listener's time and no more.
 */
import type { Writable } from 'node:stream';
import { totalLength } from '../../server/http/chunk-source.ts';
import type { AnswerSink } from '../../server/http/exchange.ts';
import { NEVER } from '../deadline-wheel.ts';
import { writeGroup } from './write-answer.ts';

/** The exchange that a sink writes for. */
export interface SinkOwner {
  deadline: number;
  readonly gone: boolean;
  deadlineFor(bytes: number): number;
  onClose(listener: () => void): void;
  cut(): void;
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
    if (this.#ended || this.#owner.gone || chunks.length === 0) return !this.#ended && !this.#owner.gone;
    const ready = writeGroup(this.#out, chunks);
    if (!ready && this.#owner.deadline === NEVER)
      this.#owner.deadline = this.#owner.deadlineFor(this.#out.writableLength + totalLength(chunks));
    return ready;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(): void {
    if (this.#ended || this.#owner.gone) return;
    this.#ended = true;
    this.#owner.deadline = this.#owner.deadlineFor(this.#out.writableLength);
    this.#out.end();
  }

  abort(): void {
    this.#ended = true;
    this.#owner.cut();
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
