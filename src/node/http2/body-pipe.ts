/**
 * A received body that is streamed into a sink.
 * Invariant: while the sink is full, it holds the bytes that the peer may still send, which the stream's window
 * bounds; the window is not updated before the sink has taken them.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { BugError } from '../../base/errors.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';
import { GrowingBytes } from '../growing-bytes.ts';

/** The flow control of the stream that a body is received on. */
export interface BodyFlow {
  /** Called when the sink is full. Stops window updates. */
  pause(): void;
  /** Called when the sink takes bytes: at the start, and after `pause`. Returns received bytes to the peer's window. */
  resume(): void;
  /** Called when the sink closed before it had the whole body. Discards the rest. */
  discard(): void;
  /** Called when the sink has the whole body. */
  delivered(): void;
}

export class BodyPipe {
  readonly #sink: ByteSink;
  readonly #flow: BodyFlow;
  /** Bytes received while the sink is full. */
  #held: GrowingBytes | undefined;
  readonly #maxHeld: number;
  #paused = false;
  /** Whether the peer has sent the whole body. */
  #ended = false;
  #trailers: HttpHeaders | undefined;
  /** Whether the sink has ended, aborted or closed. */
  #done = false;

  /** At most `maxHeld` bytes can arrive between `pause` and `resume`. */
  constructor(sink: ByteSink, flow: BodyFlow, maxHeld: number) {
    this.#sink = sink;
    this.#flow = flow;
    this.#maxHeld = maxHeld;
  }

  /** Starts with the bytes that have arrived already. */
  start(received: Uint8Array): void {
    this.#sink.onDrain(() => this.#drained());
    this.#sink.onClose(() => this.#discard());
    if (received.length > 0) this.push(received);
    if (!this.#done && !this.#paused) this.#flow.resume();
  }

  push(piece: Uint8Array): void {
    if (this.#done) return;
    if (this.#paused) {
      this.#held ??= new GrowingBytes(this.#maxHeld);
      if (!this.#held.append(piece)) throw new BugError('a body exceeds the window of its stream');
    } else if (!this.#sink.write([piece])) this.#pause();
  }

  end(trailers?: HttpHeaders): void {
    this.#ended = true;
    this.#trailers = trailers;
    if (this.#done || this.#held !== undefined) return;
    this.#done = true;
    this.#sink.end(trailers);
    this.#flow.delivered();
  }

  /** Aborts the sink. Called when the peer disconnected or was too slow, or when the answer is complete. */
  abort(): void {
    if (this.#done) return;
    this.#done = true;
    this.#sink.abort();
  }

  #drained(): void {
    if (this.#done || !this.#paused) return;
    this.#paused = false;
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      if (!this.#sink.write([held.take()])) this.#paused = true;
    }
    if (this.#ended) this.end(this.#trailers);
    else if (!this.#paused) this.#flow.resume();
  }

  #pause(): void {
    if (this.#done) return;
    this.#paused = true;
    this.#flow.pause();
  }

  #discard(): void {
    if (this.#done) return;
    this.#done = true;
    this.#flow.discard();
  }
}
