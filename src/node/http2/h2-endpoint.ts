/**
 * One end of an HTTP/2 connection, in either role: its streams, its flow-control windows and the frames that it writes.
 * All frames of one turn of the event loop leave in one write. A request, or an answer that comes later than its
 * request, leaves at once if it is whole and the only one of its connection.
 * Invariant: a stream with frames to write is in exactly one of two lists, those that are ready and those that wait for
 * the peer to increase a window.
 */
import type { Socket } from 'node:net';
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { IdMap } from '../../base/id-map.ts';
import type { Flushable } from './flusher.ts';
import type { FrameOutput, Written } from './frame-output.ts';
import { CODE, FIRST_WINDOW, type Violation, violation, WINDOW_LIMIT, windowUpdate } from './frames.ts';
import type { FlowConnection, H2Stream } from './h2-stream.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { CONNECTION_WINDOW, type SettingsChange } from './settings.ts';
import type { H2Shared } from './shared.ts';
import { SocketWriter } from './socket-writer.ts';

/** The most bytes that one turn of the event loop writes. */
const MAX_FLUSH_BYTES = 256 * 1024;
/** The most memory in one piece that a flush asks for before it begins. */
const MAX_EXPECTED = 32 * 1024;
/** Queued control frames. A peer that lets more of them pile up does not read, and its connection is closed. */
const MAX_CONTROL_FRAMES = 10_000;

export abstract class H2Endpoint<S extends H2Stream> implements Flushable, FlowConnection {
  sendWindow: number = FIRST_WINDOW;
  initialSendWindow: number = FIRST_WINDOW;
  /** The open streams. */
  readonly streams: IdMap<S> = new IdMap();
  protected readonly socket: Socket;
  protected readonly writer: SocketWriter;
  protected readonly encoder: HpackEncoder = new HpackEncoder();
  readonly #shared: H2Shared;
  /** Control frames, written before all others. */
  #controls: Uint8Array[] = [];
  /** Streams with frames to write, in round-robin order. */
  #ready: S[] = [];
  /** Streams that wait for the peer to increase a window. */
  readonly #blocked = new Set<S>();
  /** The bytes of the last flush: the next one gets as much memory in one piece. */
  #lastFlush = 0;
  /** Bytes of DATA since the last WINDOW_UPDATE of the connection. */
  #received = 0;
  #isScheduled = false;
  /** The socket is ended once all control frames are written. */
  #isEnding = false;

  protected constructor(socket: Socket, shared: H2Shared) {
    this.socket = socket;
    this.#shared = shared;
    this.writer = new SocketWriter(socket, shared.output, () => this.#taken());
  }

  encodeTrailers(trailers: HttpHeaders): Buffer {
    return this.encoder.encodeTrailers(trailers);
  }

  /** Closes at once. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Called when a stream cannot write its frames: a header that HTTP does not allow, or a source that throws. */
  protected abstract advanceFailed(stream: S, caught: unknown): void;
  /** Called after each write, and whenever the kernel has taken one. */
  protected abstract writerChanged(): void;
  /** Called once, when everything is written after `endWhenWritten`. Ends the socket. */
  protected abstract allWritten(): void;

  // Receiving

  /** Counts received DATA, padding included. Returns false if it exceeds the connection's window. */
  receivedData(bytes: number): boolean {
    this.#received += bytes;
    if (this.#received > CONNECTION_WINDOW) return false;
    if (this.#received < CONNECTION_WINDOW / 2) return true;
    this.sendWindowUpdate(0, this.#received);
    this.#received = 0;
    return true;
  }

  /** Applies the peer's SETTINGS. Returns the violation if one has a value that is not allowed. */
  changeSettings({ tableSizes, initialWindowSize }: SettingsChange): Violation | undefined {
    for (const size of tableSizes) this.encoder.resize(size);
    if (initialWindowSize === undefined) return undefined;
    const difference = initialWindowSize - this.initialSendWindow;
    this.initialSendWindow = initialWindowSize;
    for (const stream of this.streams.values())
      if (!this.increaseSendWindow(stream, difference))
        return violation(CODE.flowControlError, 'a window is too large');
    return undefined;
  }

  /** Increases the window of a stream, or of the connection. Returns false if it exceeds 2^31-1. */
  increaseSendWindow(stream: S | undefined, increment: number): boolean {
    const widened = stream ?? this;
    const wasOpen = widened.sendWindow > 0;
    widened.sendWindow += increment;
    if (widened.sendWindow > WINDOW_LIMIT) return false;
    // No stream is blocked by a window that was open.
    if (wasOpen) return true;
    if (stream !== undefined) this.#unblock(stream);
    else for (const blocked of this.#blocked) this.#unblock(blocked);
    return true;
  }

  #unblock(stream: S): void {
    if (this.sendWindow > 0 && stream.sendWindow > 0 && this.#blocked.delete(stream)) this.queue(stream);
  }

  // Sending

  sendWindowUpdate(stream: number, bytes: number): void {
    this.writeControl(windowUpdate(stream, bytes));
  }

  /** Adds a stream to those with frames to write. */
  queue(stream: S): void {
    if (stream.isQueued || stream.isClosed) return;
    stream.isQueued = true;
    this.#ready.push(stream);
    this.#schedule();
  }

  /** The streams with frames to write. */
  protected get queued(): readonly S[] {
    return this.#ready;
  }

  /** Queues a control frame. Closes the connection if too many are queued. */
  protected writeControl(frame: Uint8Array): void {
    if (this.#controls.push(frame) > MAX_CONTROL_FRAMES) this.destroy();
    else this.#schedule();
  }

  /** Removes a closed stream. Returns false if it was removed already. */
  protected forget(stream: S): boolean {
    if (!this.streams.delete(stream.id)) return false;
    this.#blocked.delete(stream);
    // Otherwise the next flush removes it.
    if (stream.isQueued && this.writer.isFull) this.#ready = this.#ready.filter((one) => one !== stream);
    return true;
  }

  protected get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Writes the queued control frames, then calls `allWritten`. */
  protected endWhenWritten(): void {
    this.#isEnding = true;
    this.#schedule();
  }

  /**
   * Defers the flush of the frames that are queued until `uncork`. Returns false if one is scheduled already; then
   * `uncork` must not be called.
   */
  protected cork(): boolean {
    if (this.#isScheduled) return false;
    this.#isScheduled = true;
    return true;
  }

  /** Ends `cork`. `now`: at once, because nothing else of this turn could leave in the same write. */
  protected uncork(now: boolean): void {
    if (this.#ready.length === 0 && this.#controls.length === 0 && !this.#isEnding) this.#isScheduled = false;
    // Another connection is being flushed if the output is not empty.
    else if (now && this.#shared.output.size === 0) this.flush();
    else this.#shared.flusher.add(this);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.socket.destroyed || this.socket.writableEnded) return;
    const { output } = this.#shared;
    output.expect(this.#lastFlush);
    const { isFull } = this.writer;
    try {
      if (this.#controls.length > 0 && (!isFull || this.#isEnding)) this.#writeControls(output);
      if (!isFull) this.#advance(output);
    } finally {
      // Also after an exception: the next user of the output is another connection.
      const written = output.take();
      if (written !== undefined) {
        this.#lastFlush = Math.min(written.size, MAX_EXPECTED);
        this.#write(written);
      }
    }
    if (!this.#isEnding) this.#scheduleRest();
    else if (this.#controls.length === 0) this.allWritten();
  }

  #writeControls(output: FrameOutput): void {
    const controls = this.#controls;
    this.#controls = [];
    for (let i = 0; i < controls.length; i++) output.bytes(controls[i]!);
  }

  #scheduleRest(): void {
    if (!this.writer.isFull && (this.#ready.length > 0 || this.#controls.length > 0)) this.#schedule();
  }

  #advance(output: FrameOutput): void {
    const ready = this.#ready;
    this.#ready = [];
    let i = 0;
    for (; i < ready.length && output.size < MAX_FLUSH_BYTES; i++) {
      const stream = ready[i]!;
      stream.isQueued = false;
      if (stream.isClosed) continue;
      try {
        const progress = stream.advance(output);
        if (progress === 'more') this.queue(stream);
        else if (progress === 'blocked') this.#blocked.add(stream);
      } catch (caught) {
        this.advanceFailed(stream, caught);
      }
    }
    if (i < ready.length) this.#ready = [...ready.slice(i), ...this.#ready];
  }

  #write(written: Written): void {
    this.writer.write(written);
    this.writerChanged();
  }

  #taken(): void {
    this.writerChanged();
    this.#scheduleRest();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#shared.flusher.add(this);
  }
}
