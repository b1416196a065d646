/**
 * One HTTP/2 connection of a client (RFC 9113). A connection error, or more stream errors, resets or control frames
 * than the limits allow, ends the connection with GOAWAY.
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
import { readSocket } from '../streams/read-socket.ts';
import type { TlsPeer } from '../tls/tls-peer.ts';
import { FrameReader } from './frame-reader.ts';
import { CODE, goaway, resetStream, type Violation } from './frames.ts';
import { H2Endpoint } from './h2-endpoint.ts';
import type { H2Exchange } from './h2-exchange.ts';
import { ServerFrames, type ServerFramesConnection } from './server-frames.ts';
import { serverPreface } from './settings.ts';
import type { H2Shared } from './shared.ts';

/** The time that a client has to read a GOAWAY before the connection is closed. */
const GOAWAY_GRACE_MS = 5_000;
/** The same after a connection error or abuse; goAwayTimeout of Go's server. */
const ERROR_GRACE_MS = 1_000;
export class H2Connection extends H2Endpoint<H2Exchange> implements ServedConnection, Timed, ServerFramesConnection {
  readonly protocol = 'h2' as const;
  readonly secure = true;
  readonly remoteAddress: string;
  readonly context: ExchangeContext;
  deadline: number;
  index: number | undefined = undefined;
  readonly #peer: TlsPeer;
  readonly #shared: H2Shared;
  readonly #frames: ServerFrames;
  readonly #reader: FrameReader;
  readonly #resets: TokenBucket;
  readonly #controlFrames: TokenBucket;
  /** Streams that were opened by the bytes being read; their handlers are called afterwards. */
  #newExchanges: H2Exchange[] = [];
  /** Whether handlers are being called. The client may have sent more frames, which this turn still reads. */
  #isHandling = false;
  /** Whether the socket is full. If so, `deadline` bounds the time until the client reads. */
  #stalled = false;
  /** Whether GOAWAY was sent: new streams are refused then. */
  #goawaySent = false;
  /** Whether the connection ends because of an error or abuse. The deadline does not change after that. */
  #terminating = false;

  constructor(context: ExchangeContext, shared: H2Shared, socket: TLSSocket, peer: TlsPeer) {
    super(socket, shared);
    const { limits, wheel } = context;
    this.context = context;
    this.#shared = shared;
    this.#peer = peer;
    this.remoteAddress = peer.remoteAddress;
    this.deadline = wheel.in(limits.headersTimeoutMs);
    this.#resets = new TokenBucket(limits.resetBurst, limits.resetsPerSecond, wheel.now);
    this.#controlFrames = new TokenBucket(limits.controlFrameBurst, limits.controlFramesPerSecond, wheel.now);
    this.#frames = new ServerFrames(this, limits);
    this.#reader = new FrameReader(this.#frames);
  }

  /** Sends SETTINGS and starts to read. Called once. */
  start(): void {
    const { limits, wheel } = this.context;
    const { socket } = this;
    wheel.add(this);
    this.writeControl(serverPreface(limits));
    readSocket(socket, (bytes) => this.#read(bytes));
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
    // Handlers run after all frames of this read. A request that the same read resets is never handled, and a body that
    // came with its request is complete.
    const exchanges = this.#newExchanges;
    if (exchanges.length === 0) return;
    this.#newExchanges = [];
    this.#isHandling = true;
    try {
      for (let i = 0; i < exchanges.length; i++) {
        const exchange = exchanges[i]!;
        if (!exchange.isClosed) handle(this.context, exchange);
      }
    } finally {
      this.#isHandling = false;
    }
  }

  open(exchange: H2Exchange): void {
    this.streams.set(exchange.id, exchange);
    if (!this.#stalled) this.deadline = NEVER;
    this.context.wheel.add(exchange);
    this.#newExchanges.push(exchange);
    if (this.context.endsConnection?.()) this.drain();
  }

  sendControl(frame: Uint8Array): void {
    if (!this.#terminating) this.writeControl(frame);
  }

  /** Called when the client reset a stream. */
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
    if (this.isEnding) return;
    this.#terminating = true;
    this.context.problems.report('broken-protocol', this.remoteAddress, `an HTTP/2 connection broke: ${why}`);
    this.#sendGoaway(code);
    for (const exchange of this.streams.values()) this.#removeStream(exchange);
    this.#end(ERROR_GRACE_MS);
  }

  // Sending

  streamError(exchange: H2Exchange, code: number): void {
    this.reset(exchange, code);
    this.countReset();
  }

  encode(status: number, headers: AnswerHeaders, length: number): Buffer {
    return this.encoder.encode(status, headers, length, this.#shared.date());
  }

  beginAnswer(): boolean {
    return !this.#isHandling && this.streams.size === 1 && this.cork();
  }

  endAnswer(isWhole: boolean): void {
    this.uncork(isWhole);
  }

  encodeContinue(): Buffer {
    return this.encoder.encodeContinue();
  }

  /** Resets a stream from this side. */
  reset(exchange: H2Exchange, code: number): void {
    if (!this.streams.has(exchange.id)) return;
    this.writeControl(resetStream(exchange.id, code));
    this.#frames.rememberReset(exchange.id);
    this.#removeStream(exchange);
  }

  stopRequestBody(exchange: H2Exchange): void {
    this.#frames.rememberReset(exchange.id);
    this.writeControl(resetStream(exchange.id, CODE.noError));
  }

  /** Called when the whole answer is written. */
  streamFinished(exchange: H2Exchange): void {
    this.#frames.rememberClosed(exchange.id);
    this.#removeStream(exchange);
  }

  protected override advanceFailed(exchange: H2Exchange, caught: unknown): void {
    answerFailed(this.context, exchange, caught);
  }

  /** A client that does not read gets a deadline, which ends when it reads again. */
  protected override writerChanged(): void {
    const { isFull, unsent } = this.writer;
    if (isFull === this.#stalled) return;
    if (!isFull) {
      this.#stalled = false;
      if (!this.#terminating && !this.isEnding) this.deadline = this.streams.size > 0 ? NEVER : this.#idleDeadline();
    } else if (!this.#terminating && !this.isEnding) {
      this.#stalled = true;
      this.deadline = readerDeadline(this.context, unsent);
    }
  }

  // Closing

  #sendGoaway(code: number): void {
    this.#goawaySent = true;
    this.writeControl(goaway(this.#frames.lastStream, code));
  }

  #removeStream(exchange: H2Exchange): void {
    if (!this.forget(exchange)) return;
    this.context.wheel.delete(exchange);
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
    if (this.isEnding) return;
    this.deadline = this.context.wheel.in(afterMs);
    this.endWhenWritten();
  }

  protected override allWritten(): void {
    this.socket.end();
    // Adds time to read the bytes that are still in flight.
    if (!this.#terminating)
      this.deadline = this.context.wheel.in(
        GOAWAY_GRACE_MS + (this.writer.unsent * 1000) / this.context.limits.slowestReader,
      );
  }

  #handleClose(): void {
    this.#terminating = true;
    for (const exchange of this.streams.values()) this.#removeStream(exchange);
    this.context.wheel.delete(this);
  }
}
