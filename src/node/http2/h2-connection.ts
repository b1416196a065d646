/**
 * One HTTP/2 connection (RFC 9113). Invariants: it is idle exactly while no stream is open; everything that one turn of the event loop has to say leaves in one write; a client that breaks the rules is told
 * GOAWAY and cut, and one that breaks off streams, or makes us break them off, or sends frames that cost it nothing, faster than the limits, too.
 */
import type { TLSSocket } from 'node:tls';
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
import { TokenBucket } from '../token-bucket.ts';
import type { Flushable } from './flusher.ts';
import { FrameHandler, type FrameHandlerConnection } from './frame-handler.ts';
import type { FrameOutput, Written } from './frame-output.ts';
import { FrameReader } from './frame-reader.ts';
import {
  CODE,
  FIRST_WINDOW,
  goaway,
  resetStream,
  SETTING,
  settingsFrame,
  type Violation,
  WINDOW_LIMIT,
  windowUpdate,
} from './frames.ts';
import type { H2Exchange } from './h2-exchange.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import type { H2Shared } from './shared.ts';
import { SocketWriter } from './socket-writer.ts';

/** For the client to read a GOAWAY before the connection is cut. */
const GOODBYE_MS = 5_000;
/** The same for one that is told to go because of what it does; the figure of Go's server. */
const PUNISHED_MS = 1_000;
/** Of the whole connection: it is given back as data arrives, so it bounds what is on the way and not what is held. */
const CONNECTION_WINDOW = 4 * 1024 * 1024;
/** What one turn of the event loop writes. */
const MOST_WRITTEN = 256 * 1024;
/** Small frames that answer the client's: one that lets so many pile up does not read. */
const MOST_CONTROLS = 10_000;

export class H2Connection implements ServedConnection, Timed, Flushable, FrameHandlerConnection {
  readonly protocol = 'h2' as const;
  readonly secure = true;
  readonly remoteAddress: string;
  readonly context: ExchangeContext;
  deadline: number;
  place: number | undefined = undefined;
  /** What the client lets us send, altogether and on a new stream. */
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
  /** Small frames to write before the others. */
  #controls: Uint8Array[] = [];
  /** Streams with something to write, in the order of their turns. */
  #ready: H2Exchange[] = [];
  readonly #blocked = new Set<H2Exchange>();
  #fresh: H2Exchange[] = [];
  #received = 0;
  #isScheduled = false;
  /** The client must read before the deadline. */
  #stalled = false;
  /** GOAWAY was sent: no new request is served. */
  #leaving = false;
  /** Nothing the client sends is looked at any more, or nothing new: its deadline stands. */
  #punished = false;
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
    wheel.add(this);
    this.#control(
      settingsFrame([
        [SETTING.enablePush, 0],
        [SETTING.maxConcurrentStreams, limits.maxStreams],
        [SETTING.initialWindowSize, limits.streamWindowBytes],
        [SETTING.maxHeaderListSize, limits.maxHeaderBytes],
      ]),
    );
    this.#control(windowUpdate(0, CONNECTION_WINDOW - FIRST_WINDOW));
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('end', () => this.#close());
    socket.on('close', () => this.#gone());
  }

  get isLeaving(): boolean {
    return this.#leaving;
  }

  certificate(): PeerCertificate | undefined {
    return this.#peer.certificate();
  }

  certificateProblem(): string | undefined {
    return this.#peer.certificateProblem();
  }

  drain(): void {
    if (this.#leaving) return;
    this.#leave(CODE.noError);
    if (this.streams.size === 0) this.#end(GOODBYE_MS);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  expire(): void {
    if (this.#stalled) {
      const what = 'an HTTP/2 connection was closed: its client does not read';
      this.context.problems.report('too-slow', this.remoteAddress, what);
      this.destroy();
    } else if (this.#leaving) this.destroy();
    else this.drain();
  }

  // What arrives

  #read(bytes: Buffer): void {
    this.#reader.read(bytes);
    // After all frames that came together: a request that was broken off with them costs nothing, a body that came with them is there.
    const fresh = this.#fresh;
    if (fresh.length === 0) return;
    this.#fresh = [];
    for (let i = 0; i < fresh.length; i++) {
      const exchange = fresh[i]!;
      if (!exchange.gone) handle(this.context, exchange);
    }
  }

  open(exchange: H2Exchange): void {
    this.streams.set(exchange.id, exchange);
    if (!this.#stalled) this.deadline = NEVER;
    this.context.wheel.add(exchange);
    this.#fresh.push(exchange);
  }

  receivedData(bytes: number): boolean {
    this.#received += bytes;
    if (this.#received > CONNECTION_WINDOW) return false;
    if (this.#received < CONNECTION_WINDOW / 2) return true;
    this.giveBack(0, this.#received);
    this.#received = 0;
    return true;
  }

  answer(frame: Uint8Array): void {
    if (!this.#punished) this.#control(frame);
  }

  changeSettings(tableSizes: readonly number[], initialWindow: number | undefined): boolean {
    for (const size of tableSizes) this.#encoder.resize(size);
    if (initialWindow === undefined) return true;
    const difference = initialWindow - this.initialSendWindow;
    this.initialSendWindow = initialWindow;
    for (const exchange of this.streams.values()) if (!this.widen(exchange, difference)) return false;
    return true;
  }

  /** False: beyond what a window can be. */
  widen(exchange: H2Exchange | undefined, increment: number): boolean {
    const widened = exchange ?? this;
    const wasOpen = widened.sendWindow > 0;
    widened.sendWindow += increment;
    if (widened.sendWindow > WINDOW_LIMIT) return false;
    // Nobody waits for a window that was open.
    if (wasOpen) return true;
    if (exchange !== undefined) this.#unblock(exchange);
    else for (const blocked of this.#blocked) this.#unblock(blocked);
    return true;
  }

  #unblock(exchange: H2Exchange): void {
    if (this.sendWindow > 0 && exchange.sendWindow > 0 && this.#blocked.delete(exchange)) this.queue(exchange);
  }

  /** The client broke a stream off. */
  broken(exchange: H2Exchange): void {
    this.#frames.rememberClosed(exchange.id);
    this.#forget(exchange);
    this.countReset();
  }

  /** Counts a stream that the client broke off, or made us break off. */
  countReset(): void {
    if (!this.#resets.take(this.context.wheel.now)) this.#punish('too-many-resets', 'broken-off streams');
  }

  countControl(): void {
    if (!this.#controlFrames.take(this.context.wheel.now))
      this.#punish('too-many-control-frames', 'frames that ask for nothing');
  }

  #punish(kind: ProblemKind, what: string): void {
    if (this.#punished) return;
    this.#punished = true;
    this.context.problems.report(kind, this.remoteAddress, `an HTTP/2 connection was closed: too many ${what}`);
    this.#leave(CODE.enhanceYourCalm);
    this.deadline = this.context.wheel.in(PUNISHED_MS);
  }

  /** The client does not speak HTTP/2: nothing more of it is looked at. */
  fail({ code, why }: Violation): void {
    if (this.#ended) return;
    this.#punished = true;
    this.context.problems.report('broken-protocol', this.remoteAddress, `an HTTP/2 connection broke: ${why}`);
    this.#leave(code);
    for (const exchange of [...this.streams.values()]) this.#forget(exchange);
    this.#end(PUNISHED_MS);
  }

  // What is sent

  encode(status: number, headers: AnswerHeaders, length: number): Buffer {
    return this.#encoder.encode(status, headers, length, this.#shared.date());
  }

  encodeContinue(): Buffer {
    return this.#encoder.encodeContinue();
  }

  giveBack(stream: number, bytes: number): void {
    this.#control(windowUpdate(stream, bytes));
  }

  /** Puts a stream into the list of those who write. */
  queue(exchange: H2Exchange): void {
    if (exchange.isQueued || exchange.gone) return;
    exchange.isQueued = true;
    this.#ready.push(exchange);
    this.#schedule();
  }

  /** Breaks a stream off from our side. */
  reset(exchange: H2Exchange, code: number): void {
    if (!this.streams.has(exchange.id)) return;
    this.#control(resetStream(exchange.id, code));
    this.#frames.rememberReset(exchange.id);
    this.#forget(exchange);
  }

  stopSender(exchange: H2Exchange): void {
    this.#frames.rememberReset(exchange.id);
    this.#control(resetStream(exchange.id, CODE.noError));
  }

  /** Everything of an answer is written. */
  finished(exchange: H2Exchange): void {
    this.#frames.rememberClosed(exchange.id);
    this.#forget(exchange);
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
      // Whatever happens: the next to use the output is another client.
      const written = output.take();
      if (written !== undefined) this.#write(written);
    }
    if (!this.#ended) this.#goOn();
    else if (this.#controls.length === 0) this.#sayGoodbye();
  }

  #goOn(): void {
    if (!this.#writer.isFull && (this.#ready.length > 0 || this.#controls.length > 0)) this.#schedule();
  }

  #advance(output: FrameOutput): void {
    const ready = this.#ready;
    this.#ready = [];
    let i = 0;
    for (; i < ready.length && output.size < MOST_WRITTEN; i++) {
      const exchange = ready[i]!;
      exchange.isQueued = false;
      if (exchange.gone) continue;
      try {
        const progress = exchange.advance(output);
        if (progress === 'more') this.queue(exchange);
        else if (progress === 'blocked') this.#blocked.add(exchange);
      } catch (caught) {
        // A header that HTTP does not allow, or a source of chunks that breaks.
        answerFailed(this.context, exchange, caught);
      }
    }
    if (i < ready.length) this.#ready = [...ready.slice(i), ...this.#ready];
  }

  #write(written: Written): void {
    this.#writer.write(written);
    if (!this.#writer.isFull || this.#stalled || this.#punished || this.#ended) return;
    this.#stalled = true;
    this.deadline = readerDeadline(this.context, this.#writer.unsent);
  }

  /** The socket has taken something. */
  #written(): void {
    if (this.#stalled && !this.#writer.isFull) {
      this.#stalled = false;
      if (!this.#punished && !this.#ended) this.deadline = this.streams.size > 0 ? NEVER : this.#idleDeadline();
    }
    this.#goOn();
  }

  #control(frame: Uint8Array): void {
    if (this.#controls.push(frame) > MOST_CONTROLS) this.destroy();
    else this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#shared.flusher.add(this);
  }

  // The end

  #leave(code: number): void {
    this.#leaving = true;
    this.#control(goaway(this.#frames.lastStream, code));
  }

  #forget(exchange: H2Exchange): void {
    if (!this.streams.delete(exchange.id)) return;
    this.context.wheel.delete(exchange);
    this.#blocked.delete(exchange);
    // Otherwise it leaves the list in the next turn.
    if (exchange.isQueued && this.#writer.isFull) this.#ready = this.#ready.filter((one) => one !== exchange);
    exchange.closed();
    if (this.streams.size > 0) return;
    if (this.#leaving && !this.#punished) this.#end(GOODBYE_MS);
    else if (!this.#punished && !this.#stalled) this.deadline = this.#idleDeadline();
  }

  #idleDeadline(): number {
    return this.context.wheel.in(this.context.limits.idleTimeoutMs);
  }

  /** Closes our half when everything is written, and everything a little later. */
  #end(afterMs: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.deadline = this.context.wheel.in(afterMs);
    this.#schedule();
  }

  #sayGoodbye(): void {
    this.#socket.end();
    // Time to read what is on the way.
    if (!this.#punished)
      this.deadline = this.context.wheel.in(
        GOODBYE_MS + (this.#writer.unsent * 1000) / this.context.limits.slowestReader,
      );
  }

  /** The client has closed its half: it cannot say that it reads, and does not. */
  #close(): void {
    this.#socket.destroy();
  }

  #gone(): void {
    this.#punished = true;
    for (const exchange of [...this.streams.values()]) this.#forget(exchange);
    this.context.wheel.delete(this);
  }
}
