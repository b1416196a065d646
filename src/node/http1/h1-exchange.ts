/**
 * One HTTP/1.1 request and its answer. A connection whose request body was not read to its end is reused only if the
 * rest is small.
 * Invariant: the exchange is in the deadline wheel until the response is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { type ByteSink, type ByteSource, EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import {
  type Answer,
  type AnswerHeaders,
  type BodyResult,
  type Connection,
  startClosed,
} from '../../server/http/exchange.ts';
import { NEVER, type Timed } from '../deadline-wheel.ts';
import { type ExchangeContext, extendDeadline, readerDeadline, type Sender } from '../exchange-context.ts';
import { pipeReadable, type ReadablePipe } from '../streams/pipe-readable.ts';
import { type SinkOwner, StreamSink } from './answer-sink.ts';
import { ABORTED, BodyReader, declaredLength, EMPTY_BODY, TOO_LARGE } from './read-body.ts';
import { writeAll } from './write-answer.ts';

/** An unread body up to this size is discarded to keep the connection; Go's figure. */
const MAX_DISCARDED = 256 * 1024;
const NO_WEBSOCKET = new TextEncoder().encode('websocket: the request is not a WebSocket upgrade\n');
const NO_TUNNEL = new TextEncoder().encode('the request is not an upgrade\n');

export type WebSocketAnswer = Extract<Answer, { kind: 'websocket' }>;
export type TunnelAnswer = Extract<Answer, { kind: 'tunnel' }>;

export interface H1ExchangeOptions {
  readonly context: ExchangeContext;
  readonly connection: Connection;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request has `Expect: 100-continue`. */
  readonly expectsContinue: boolean;
  /** Present for an upgrade request. Its connection was detached from Node's parser and closes after this exchange. */
  readonly upgrade?: Upgrader;
}

/** Switches protocols on the connection of an upgrade request. */
export interface Upgrader {
  /** Completes the WebSocket handshake and calls the answer's `start`, or refuses the handshake. */
  openWebSocket(answer: WebSocketAnswer, owner: SinkOwner): void;
  /** Answers 101 and calls the answer's `start` with the tunnel. */
  openTunnel(answer: TunnelAnswer, owner: SinkOwner): void;
  /** Closes an open tunnel after all bytes that were written. */
  drain(): void;
}

export class H1Exchange implements Sender, Timed, SinkOwner {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  deadline: number = NEVER;
  index: number | undefined = undefined;
  readonly #options: H1ExchangeOptions;
  readonly #context: ExchangeContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #declared: number;
  #bodyDone: boolean;
  #reader: BodyReader | undefined;
  /** Streams the body into a sink; undefined once it is done. */
  #pipe: ReadablePipe | undefined;
  #closers: (() => void)[] | undefined;
  #closed = false;
  /** Whether the answer is sent while the client is still sending its body. */
  #lingering = false;

  constructor(options: H1ExchangeOptions) {
    const { request } = options;
    this.#options = options;
    this.#context = options.context;
    this.connection = options.connection;
    this.#request = request;
    this.#response = options.response;
    this.#declared = declaredLength(request.headers['content-length']);
    // An upgrade request has no body: the listener refuses one that declares a body.
    this.#bodyDone = request.headers['transfer-encoding'] === undefined && this.#declared <= 0;
    this.method = request.method ?? '';
    this.target = originForm(request.url ?? '');
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    if (typeof value === 'string') return value;
    return Array.isArray(value) ? value.join(', ') : undefined;
  }

  headerValues(name: string): readonly string[] {
    const values: string[] = [];
    const raw = this.#request.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) if (raw[i]!.toLowerCase() === name) values.push(raw[i + 1]!);
    return values;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#request.headers);
  }

  body(limit: number): MaybePromise<BodyResult> {
    if (this.#bodyDone) return EMPTY_BODY;
    if (this.#closed) return ABORTED;
    if (this.#declared > limit) return TOO_LARGE;
    if (this.#options.expectsContinue) this.#response.writeContinue();
    this.deadline = this.#context.wheel.in(this.#context.limits.bodyTimeoutMs);
    return new Promise((resolve) => {
      this.#reader = new BodyReader(this.#request, this.#declared, limit, (result) => {
        this.deadline = NEVER;
        this.#reader = undefined;
        this.#bodyDone = result.outcome === 'ok';
        resolve(result);
      });
      this.#reader.start();
    });
  }

  bodySource(): ByteSource {
    return this.#bodyDone ? EMPTY_SOURCE : { pipeTo: (sink) => this.#pipeBody(sink) };
  }

  #pipeBody(sink: ByteSink): void {
    if (this.#closed) {
      sink.abort();
      return;
    }
    if (this.#options.expectsContinue) this.#response.writeContinue();
    // Once there is an answer, the deadline belongs to its reader.
    const setDeadline = (deadline: number): void => {
      if (!this.#response.headersSent) this.deadline = deadline;
    };
    const finish = (): void => {
      this.#pipe = undefined;
      setDeadline(NEVER);
    };
    setDeadline(readerDeadline(this.#context, 0));
    this.#pipe = pipeReadable(this.#request, sink, {
      onData: (bytes) => setDeadline(extendDeadline(this.#context, this.deadline, bytes)),
      onPause: () => setDeadline(NEVER),
      onResume: () => setDeadline(readerDeadline(this.#context, 0)),
      onEnd: () => {
        this.#bodyDone = true;
        finish();
      },
      onCancel: () => {
        finish();
        if (this.#response.headersSent) this.#request.resume();
      },
    });
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else if (this.#closers === undefined) this.#closers = [listener];
    else this.#closers.push(listener);
  }

  deadlineFor(bytes: number): number {
    return readerDeadline(this.#context, bytes);
  }

  send(answer: Answer): void {
    const response = this.#response;
    if (this.#closed || response.destroyed) {
      startClosed(answer);
      return;
    }
    switch (answer.kind) {
      case 'bytes':
        this.#stopPipe();
        this.deadline = readerDeadline(this.#context, answer.body.byteLength);
        this.#writeHead(answer.status, answer.headers, answer.body.byteLength);
        if (this.#mayEnd()) response.end(answer.body);
        else if (this.method !== 'HEAD') response.write(answer.body);
        return;
      case 'chunks':
        this.#stopPipe();
        this.#writeHead(answer.status, answer.headers, answer.chunks.size ?? -1);
        if (this.method === 'HEAD') {
          this.deadline = readerDeadline(this.#context, 0);
          response.end();
        } else
          writeAll(response, answer.chunks, (bytes) => {
            this.deadline = readerDeadline(this.#context, bytes);
          });
        return;
      case 'stream':
        if (this.#pipe !== undefined) this.deadline = NEVER;
        this.#writeHead(answer.status, answer.headers, -1);
        if (this.method === 'HEAD') {
          this.deadline = readerDeadline(this.#context, 0);
          response.end();
          startClosed(answer);
          return;
        }
        response.flushHeaders();
        answer.start(new StreamSink(response, this));
        return;
      case 'websocket':
        if (this.#options.upgrade !== undefined) this.#options.upgrade.openWebSocket(answer, this);
        else this.#refuseUpgrade(answer, NO_WEBSOCKET);
        return;
      case 'tunnel':
        if (this.#options.upgrade !== undefined) this.#options.upgrade.openTunnel(answer, this);
        else this.#refuseUpgrade(answer, NO_TUNNEL);
        if (this.#context.draining) this.drain();
        return;
    }
  }

  #refuseUpgrade(answer: WebSocketAnswer | TunnelAnswer, body: Uint8Array): void {
    this.send({ kind: 'bytes', status: 400, headers: answer.headers, body });
    startClosed(answer);
  }

  /** Called when the listener drains: closes a tunnel. All other answers are ended by their handlers. */
  drain(): void {
    this.#options.upgrade?.drain();
  }

  abort(): void {
    this.#request.socket.destroy();
  }

  expire(): void {
    this.deadline = NEVER;
    if (!this.#lingering) {
      this.#context.problems.report(
        'too-slow',
        this.connection.remoteAddress,
        'a request was aborted: its client was too slow in sending the body or in reading the answer',
      );
    }
    this.abort();
  }

  /** Called once when the response is closed. Calls the `onClose` listeners unless the response was complete. */
  handleClose(): void {
    const whole = this.#response.writableFinished;
    this.#closed = true;
    this.#reader?.abort();
    if (this.#stopPipe()) this.#request.resume();
    const closers = this.#closers;
    if (closers === undefined || whole) return;
    this.#closers = undefined;
    for (const listener of closers) listener();
  }

  /** Returns whether the client is still sending its body. The connection can be reused once that is discarded. */
  get isReceiving(): boolean {
    return !this.#bodyDone && !this.#request.complete;
  }

  /** Aborts the sink of a streamed body. Returns false if there is none. */
  #stopPipe(): boolean {
    const pipe = this.#pipe;
    this.#pipe = undefined;
    pipe?.abort();
    return pipe !== undefined;
  }

  #writeHead(status: number, headers: AnswerHeaders, length: number): void {
    const all: Record<string, string | number | string[]> = { ...(headers as Record<string, string | string[]>) };
    if (length >= 0 && status !== 204 && status !== 304 && all['content-length'] === undefined)
      all['content-length'] = length;
    if (all['trailer'] !== undefined && !this.#isChunked(status, all)) delete all['trailer'];
    const rest = this.isReceiving && this.#pipe === undefined;
    const tooMuch = rest && (this.#options.expectsContinue || this.#declared < 0 || this.#declared > MAX_DISCARDED);
    if (this.#context.draining || tooMuch || this.#options.upgrade !== undefined) all['connection'] = 'close';
    this.#response.writeHead(status, all);
    if (rest) {
      this.#lingering = tooMuch;
      // Discards the rest of the body: with unread bytes, closing the connection would reset it and the client could
      // lose the answer.
      this.#request.resume();
    }
  }

  /** Returns whether Node sends the body chunked. It refuses to announce trailers otherwise. */
  #isChunked(status: number, headers: Readonly<Record<string, unknown>>): boolean {
    const hasBody = this.method !== 'HEAD' && status !== 204 && status !== 304;
    return hasBody && headers['content-length'] === undefined && this.#response.useChunkedEncodingByDefault;
  }

  /**
   * Returns whether the response may end with its last byte. While the client is still sending a large body, ending
   * would close the connection too early: the response then ends when the client stops sending, or the connection
   * closes after `lingerMs`.
   */
  #mayEnd(): boolean {
    if (!this.#lingering) return true;
    const { limits, wheel } = this.#context;
    this.deadline = wheel.in(limits.lingerMs);
    this.#request.once('end', () => this.#response.end());
    if (this.#request.complete || this.method === 'HEAD') return true;
    return false;
  }
}

/**
 * Returns the path and query of a target. HTTP allows the absolute form `http://host/path` on the request line; its
 * host is ignored.
 */
function originForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const authority = target.indexOf('://');
  if (authority < 0) return target;
  const path = target.indexOf('/', authority + 3);
  return path < 0 ? '/' : target.slice(path);
}
