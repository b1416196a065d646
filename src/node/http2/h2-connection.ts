/**
 * One HTTP/2 connection (RFC 9113). All frames of one turn of the event loop leave in one write. A connection error, or
 * more stream errors, resets or control frames than the limits allow, ends the connection with GOAWAY.
 * Invariant: the idle deadline is set exactly while no stream is open.
 */
import type { TLSSocket } from 'node:tls';
import { TokenBucket } from '../../base/token-bucket.ts';
import type { AnswerHeaders, PeerCertificate } from '../../server/http/exchange.ts';
import { NEVER, type Timed } from '../deadline-wheel.ts';
import {
  answerFailed,
  type ExchangeContext,
  handle,
  readerDeadline,
  type ServedConnection,
} from '../exchange-context.ts';
import type { ProblemKind } from '../problems.ts';
import type { TlsPeer } from '../tls/tls-peer.ts';
import type { Flushable } from './flusher.ts';
import { FrameHandler, type FrameHandlerConnection } from './frame-handler.ts';
import type { FrameOutput, Written } from './frame-output.ts';
import { FrameReader } from './frame-reader.ts';
import { CODE, FIRST_WINDOW, goaway, resetStream, type Violation, WINDOW_LIMIT, windowUpdate } from './frames.ts';
import type { H2Exchange } from './h2-exchange.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { CONNECTION_WINDOW, serverPreface } from './settings.ts';
import type { H2Shared } from './shared.ts';
import { SocketWriter } from './socket-writer.ts';

/** The time that a client has to read a GOAWAY before the connection is closed. */
const GOAWAY_GRACE_MS = 5_000;
/** The same after a connection error or abuse; the figure of Go's server. */
const ERROR_GRACE_MS = 1_000;
/** The most bytes that one turn of the event loop writes. */
const MAX_FLUSH_BYTES = 256 * 1024;
/** Queued control frames. A client that lets more of them pile up does not read, and its connection is closed. */
const MAX_CONTROL_FRAMES = 10_000;

export class H2Connection implements ServedConnection, Timed, Flushable, FrameHandlerConnection {
  readonly protocol = 'h2' as const;
  readonly secure = true;
  readonly remoteAddress: string;
  readonly context: ExchangeContext;
  deadline: number;
  place: number | undefined = undefined;
  /** The client's flow-control windows: of the connection, and the initial one of a new stream. */
  sendWindow: number = FIRST_WINDOW;
  initialSendWindow: number = FIRST_WINDOW;
  readonly streams: Map<number, H2Exchange> = new Map();
  readonly #socket: TLSSocket;
  readonly #peer: TlsPeer;
  readonly #shared: H2Shared;
  readonly #writer: SocketWriter;
  readonly #encoder = new HpackEncoder();
  readonly #frames: FrameHandler;
  readonly #reader: FrameReader;
  readonly #resets: TokenBucket;
  readonly #controlFrames: TokenBucket;
  /** Control frames, written before all others. */
  #controls: Uint8Array[] = [];
  /** Streams with frames to write, in round-robin order. */
  #ready: H2Exchange[] = [];
  /** Streams that wait for the client to increase a window. */
  readonly #blocked = new Set<H2Exchange>();
  /** Streams that were opened by the bytes being read; their handlers are called afterwards. */
  #newExchanges: H2Exchange[] = [];
  /** Bytes of DATA since the last WINDOW_UPDATE of the connection. */
  #received = 0;
  #isScheduled = false;
  /** The socket is full, and `deadline` bounds the time until the client reads. */
  #stalled = false;
  /** GOAWAY was sent: new streams are refused. */
  #goawaySent = false;
  /** The connection ends because of an error or abuse. From here on the deadline does not change. */
  #terminating = false;
  /** The socket is ended once all control frames are written. */
  #ended = false;

  constructor(context: ExchangeContext, shared: H2Shared, socket: TLSSocket, peer: TlsPeer) {
    const { limits, wheel } = context;
    this.context = context;
    this.#shared = shared;
    this.#socket = socket;
    this.#writer = new SocketWriter(socket, shared.output, () => this.#written());
    this.#peer = peer;
    this.remoteAddress = peer.remoteAddress;
    this.deadline = wheel.in(limits.headersTimeoutMs);
    this.#resets = new TokenBucket(limits.resetBurst, limits.resetsPerSecond, wheel.now);
    this.#controlFrames = new TokenBucket(limits.controlFrameBurst, limits.controlFramesPerSecond, wheel.now);
    this.#frames = new FrameHandler(this, limits);
    this.#reader = new FrameReader(this.#frames);
  }

  /** Sends SETTINGS and starts to read. Called once. */
  start(): void {
    const { limits, wheel } = this.context;
    const socket = this.#socket;
    wheel.add(this);
    this.#control(serverPreface(limits));
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    // A client that closed its half can send no WINDOW_UPDATE any more.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#handleClose());
  }

  get goawaySent(): boolean {
    return this.#goawaySent;
  }

  certificate(): PeerCertificate | undefined {
    return this.#peer.certificate();
  }

  certificateProblem(authority: string): string | undefined {
    return this.#peer.certificateProblem(authority);
  }

  drain(): void {
    if (this.#goawaySent) return;
    this.#sendGoaway(CODE.noError);
    if (this.streams.size === 0) this.#end(GOAWAY_GRACE_MS);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  expire(): void {
    if (this.#stalled) {
      const what = 'an HTTP/2 connection was closed: its client does not read';
      this.context.problems.report('too-slow', this.remoteAddress, what);
      this.destroy();
    } else if (this.#goawaySent) this.destroy();
    else this.drain();
  }

  // Receiving

  #read(bytes: Buffer): void {
    this.#reader.read(bytes);
    // After all frames of this read: a request that they also reset is never handled, and a body that came with it is
    // complete.
    const exchanges = this.#newExchanges;
    if (exchanges.length === 0) return;
    this.#newExchanges = [];
    for (let i = 0; i < exchanges.length; i++) {
      const exchange = exchanges[i]!;
      if (!exchange.isClosed) handle(this.context, exchange);
    }
  }

  open(exchange: H2Exchange): void {
    this.streams.set(exchange.id, exchange);
    if (!this.#stalled) this.deadline = NEVER;
    this.context.wheel.add(exchange);
    this.#newExchanges.push(exchange);
  }

  receivedData(bytes: number): boolean {
    this.#received += bytes;
    if (this.#received > CONNECTION_WINDOW) return false;
    if (this.#received < CONNECTION_WINDOW / 2) return true;
    this.sendWindowUpdate(0, this.#received);
    this.#received = 0;
    return true;
  }

  sendControl(frame: Uint8Array): void {
    if (!this.#terminating) this.#control(frame);
  }

  changeSettings(tableSizes: readonly number[], initialWindow: number | undefined): boolean {
    for (const size of tableSizes) this.#encoder.resize(size);
    if (initialWindow === undefined) return true;
    const difference = initialWindow - this.initialSendWindow;
    this.initialSendWindow = initialWindow;
    for (const exchange of this.streams.values()) if (!this.increaseSendWindow(exchange, difference)) return false;
    return true;
  }

  /** Increases the window of a stream, or of the connection. Returns false if it exceeds 2^31-1. */
  increaseSendWindow(exchange: H2Exchange | undefined, increment: number): boolean {
    const widened = exchange ?? this;
    const wasOpen = widened.sendWindow > 0;
    widened.sendWindow += increment;
    if (widened.sendWindow > WINDOW_LIMIT) return false;
    // No stream is blocked by a window that was open.
    if (wasOpen) return true;
    if (exchange !== undefined) this.#unblock(exchange);
    else for (const blocked of this.#blocked) this.#unblock(blocked);
    return true;
  }

  #unblock(exchange: H2Exchange): void {
    if (this.sendWindow > 0 && exchange.sendWindow > 0 && this.#blocked.delete(exchange)) this.queue(exchange);
  }

  /** The client reset a stream. */
  streamReset(exchange: H2Exchange): void {
    this.#frames.rememberClosed(exchange.id);
    this.#removeStream(exchange);
    this.countReset();
  }

  /** Counts a stream that the client reset, or that was reset because of a stream error (CVE-2023-44487). */
  countReset(): void {
    if (!this.#resets.take(this.context.wheel.now)) this.#closeForAbuse('too-many-resets', 'stream resets');
  }

  countControlFrame(): void {
    if (!this.#controlFrames.take(this.context.wheel.now))
      this.#closeForAbuse('too-many-control-frames', 'control frames');
  }

  #closeForAbuse(kind: ProblemKind, what: string): void {
    if (this.#terminating) return;
    this.#terminating = true;
    this.context.problems.report(kind, this.remoteAddress, `an HTTP/2 connection was closed: too many ${what}`);
    this.#sendGoaway(CODE.enhanceYourCalm);
    this.deadline = this.context.wheel.in(ERROR_GRACE_MS);
  }

  /** A connection error (RFC 9113, 5.4.1): closes all streams and ignores everything that the client still sends. */
  connectionError({ code, why }: Violation): void {
    if (this.#ended) return;
    this.#terminating = true;
    this.context.problems.report('broken-protocol', this.remoteAddress, `an HTTP/2 connection broke: ${why}`);
    this.#sendGoaway(code);
    for (const exchange of [...this.streams.values()]) this.#removeStream(exchange);
    this.#end(ERROR_GRACE_MS);
  }

  // Sending

  encode(status: number, headers: AnswerHeaders, length: number): Buffer {
    return this.#encoder.encode(status, headers, length, this.#shared.date());
  }

  encodeContinue(): Buffer {
    return this.#encoder.encodeContinue();
  }

  sendWindowUpdate(stream: number, bytes: number): void {
    this.#control(windowUpdate(stream, bytes));
  }

  /** Adds a stream to those with frames to write. */
  queue(exchange: H2Exchange): void {
    if (exchange.isQueued || exchange.isClosed) return;
    exchange.isQueued = true;
    this.#ready.push(exchange);
    this.#schedule();
  }

  /** Resets a stream from this side. */
  reset(exchange: H2Exchange, code: number): void {
    if (!this.streams.has(exchange.id)) return;
    this.#control(resetStream(exchange.id, code));
    this.#frames.rememberReset(exchange.id);
    this.#removeStream(exchange);
  }

  stopRequestBody(exchange: H2Exchange): void {
    this.#frames.rememberReset(exchange.id);
    this.#control(resetStream(exchange.id, CODE.noError));
  }

  /** The whole answer is written. */
  streamFinished(exchange: H2Exchange): void {
    this.#frames.rememberClosed(exchange.id);
    this.#removeStream(exchange);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    const { output } = this.#shared;
    const { isFull } = this.#writer;
    try {
      if (!isFull || this.#ended) for (const control of this.#controls.splice(0)) output.bytes(control);
      if (!isFull) this.#advance(output);
    } finally {
      // Also after an exception: the next user of the output is another connection.
      const written = output.take();
      if (written !== undefined) this.#write(written);
    }
    if (!this.#ended) this.#scheduleRest();
    else if (this.#controls.length === 0) this.#endSocket();
  }

  #scheduleRest(): void {
    if (!this.#writer.isFull && (this.#ready.length > 0 || this.#controls.length > 0)) this.#schedule();
  }

  #advance(output: FrameOutput): void {
    const ready = this.#ready;
    this.#ready = [];
    let i = 0;
    for (; i < ready.length && output.size < MAX_FLUSH_BYTES; i++) {
      const exchange = ready[i]!;
      exchange.isQueued = false;
      if (exchange.isClosed) continue;
      try {
        const progress = exchange.advance(output);
        if (progress === 'more') this.queue(exchange);
        else if (progress === 'blocked') this.#blocked.add(exchange);
      } catch (caught) {
        // A header that HTTP does not allow, or a chunk source that throws.
        answerFailed(this.context, exchange, caught);
      }
    }
    if (i < ready.length) this.#ready = [...ready.slice(i), ...this.#ready];
  }

  #write(written: Written): void {
    this.#writer.write(written);
    if (!this.#writer.isFull || this.#stalled || this.#terminating || this.#ended) return;
    this.#stalled = true;
    this.deadline = readerDeadline(this.context, this.#writer.unsent);
  }

  /** The kernel has taken a write. */
  #written(): void {
    if (this.#stalled && !this.#writer.isFull) {
      this.#stalled = false;
      if (!this.#terminating && !this.#ended) this.deadline = this.streams.size > 0 ? NEVER : this.#idleDeadline();
    }
    this.#scheduleRest();
  }

  #control(frame: Uint8Array): void {
    if (this.#controls.push(frame) > MAX_CONTROL_FRAMES) this.destroy();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#shared.flusher.add(this);
  }

  // Closing

  #sendGoaway(code: number): void {
    this.#goawaySent = true;
    this.#control(goaway(this.#frames.lastStream, code));
  }

  #removeStream(exchange: H2Exchange): void {
    if (!this.streams.delete(exchange.id)) return;
    this.context.wheel.delete(exchange);
    this.#blocked.delete(exchange);
    // Otherwise the next flush removes it.
    if (exchange.isQueued && this.#writer.isFull) this.#ready = this.#ready.filter((one) => one !== exchange);
    exchange.handleClose();
    if (this.streams.size > 0) return;
    if (this.#goawaySent && !this.#terminating) this.#end(GOAWAY_GRACE_MS);
    else if (!this.#terminating && !this.#stalled) this.deadline = this.#idleDeadline();
  }

  #idleDeadline(): number {
    return this.context.wheel.in(this.context.limits.idleTimeoutMs);
  }

  /** Ends the socket once everything is written, and closes it `afterMs` later. */
  #end(afterMs: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.deadline = this.context.wheel.in(afterMs);
    this.#schedule();
  }

  #endSocket(): void {
    this.#socket.end();
    // Adds time to read the bytes that are still in flight.
    if (!this.#terminating)
      this.deadline = this.context.wheel.in(
        GOAWAY_GRACE_MS + (this.#writer.unsent * 1000) / this.context.limits.slowestReader,
      );
  }

  #handleClose(): void {
    this.#terminating = true;
    for (const exchange of [...this.streams.values()]) this.#removeStream(exchange);
    this.context.wheel.delete(this);
  }
}
