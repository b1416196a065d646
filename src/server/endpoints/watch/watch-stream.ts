/**
 * One watch of one client: connects the sink of the store to the stream of an answer or to a WebSocket.
 *
 * Invariant: the store's watch is stopped exactly once, whatever ends it (client, store, deadline, shutdown), and the
 * client's stream is ended unless the client has left.
 */
import type { Status } from '../../../apimachinery/status/status.ts';
import type { WebSocketPeer } from '../../http/exchange.ts';
import type { ResourceWatch, ResourceWatchSink } from '../../resource/resource-store.ts';
import type { HeldWatch, WatchSet } from './watch-set.ts';

/** The stream to the client. Its methods are those of AnswerSink, which implements it. */
export interface WatchOutput {
  write(chunks: readonly Uint8Array[]): boolean;
  onDrain(listener: () => void): void;
  end(): void;
  onClose(listener: () => void): void;
}

export interface WatchStreamOptions {
  readonly deadline: number;
  /** Whether a last bookmark is sent at the deadline. */
  readonly bookmarks: boolean;
  readonly watches: WatchSet;
  /** Encodes the ERROR event that ends a watch. */
  errorEvent(status: Status): Uint8Array;
  /** Changes the first event for this watcher only. Undefined: events are not changed. */
  readonly firstEvent: ((event: Uint8Array) => Uint8Array) | undefined;
  /** Called for each write of the store, before the events reach the client's stream, with their number and size. */
  readonly onEvents: ((count: number, bytes: number) => void) | undefined;
}

export class WatchStream implements ResourceWatchSink, HeldWatch {
  readonly deadline: number;
  readonly #options: WatchStreamOptions;
  #watch: ResourceWatch | undefined;
  #output: WatchOutput | undefined;
  /** Events that arrived before the client's stream was started. The store is paused meanwhile. */
  #early: readonly Uint8Array[] = [];
  #firstEvent: ((event: Uint8Array) => Uint8Array) | undefined;
  /** True once the store's watch is stopped. */
  #closed = false;

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.deadline = options.deadline;
    this.#firstEvent = options.firstEvent;
  }

  /** Connects the store's watch, which may have written events before. Called once, before `start`. */
  hold(watch: ResourceWatch): void {
    this.#watch = watch;
    this.#options.watches.add(this);
  }

  /** Connects the client's stream. Called once. */
  start(output: WatchOutput): void {
    this.#output = output;
    output.onClose(() => this.#release());
    const early = this.#early;
    this.#early = [];
    const ready = early.length === 0 || output.write(early);
    if (this.#closed) {
      output.end();
      return;
    }
    output.onDrain(() => this.#watch?.drained());
    if (early.length > 0 && ready) this.#watch?.drained();
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#closed) return false;
    const events = this.#firstEvent === undefined ? chunks : this.#changeFirst(chunks);
    if (this.#options.onEvents !== undefined) {
      let bytes = 0;
      for (const event of events) bytes += event.length;
      this.#options.onEvents(events.length, bytes);
    }
    if (this.#output !== undefined) return this.#output.write(events);
    this.#early = [...this.#early, ...events];
    return false;
  }

  end(error: Status | undefined): void {
    if (this.#closed) return;
    if (error !== undefined) this.#writeError(error);
    this.drain();
  }

  expire(): void {
    if (this.#options.bookmarks) this.#watch?.bookmark();
    this.drain();
  }

  drain(): void {
    if (this.#closed) return;
    this.#release();
    this.#output?.end();
  }

  #writeError(error: Status): void {
    this.#firstEvent = undefined;
    this.write([this.#options.errorEvent(error)]);
  }

  #changeFirst(chunks: readonly Uint8Array[]): readonly Uint8Array[] {
    const [first, ...rest] = chunks;
    if (first === undefined || this.#firstEvent === undefined) return chunks;
    const changed = this.#firstEvent(first);
    this.#firstEvent = undefined;
    return [changed, ...rest];
  }

  #release(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.watches.delete(this);
    this.#watch?.stop();
  }
}

const NORMAL_CLOSURE = 1000;

/** The client's stream over a WebSocket: one message per event. Messages of the client are ignored. */
export function webSocketOutput(
  socket: WebSocketPeer,
  messageOf: (event: Uint8Array) => Uint8Array | string,
): WatchOutput {
  return {
    write: (chunks) => {
      let ready = true;
      for (const chunk of chunks) ready = socket.send(messageOf(chunk));
      return ready;
    },
    onDrain: (listener) => socket.onDrain(listener),
    end: () => socket.close(NORMAL_CLOSURE, ''),
    onClose: (listener) => socket.onClose(listener),
  };
}
