/**
 * One request on an HTTP/2 stream and its answer. Invariant: it stays in the wheel from the first header to the close of the stream, costs one listener
 * for `close` and one for `error`, and copies no header until somebody asks.
 */
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { type Answer, type AnswerHeaders, type BodyResult, type Connection, startClosed } from '../server/exchange.ts';
import { type SinkOwner, StreamSink } from './answer-sink.ts';
import { NEVER, type Timed } from './deadline-wheel.ts';
import { type ExchangeContext, readerDeadline, type Sender } from './exchange-context.ts';
import { ABORTED, BodyReader, declaredLength, EMPTY_BODY, TOO_LARGE } from './read-body.ts';
import { writeAll } from './write-answer.ts';

const { NGHTTP2_NO_ERROR } = constants;
const NO_WEBSOCKET = new TextEncoder().encode('websocket: this endpoint needs HTTP/1.1 and an upgrade\n');

export class H2Exchange implements Sender, Timed, SinkOwner {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  deadline: number = NEVER;
  place: number | undefined = undefined;
  readonly #context: ExchangeContext;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #rawHeaders: readonly string[];
  /** The request has no body, or it was read to its end. */
  #bodyDone: boolean;
  #reader: BodyReader | undefined;
  #closers: (() => void)[] | undefined;
  #gone = false;
  #cut = false;

  constructor(
    context: ExchangeContext,
    connection: Connection,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ) {
    this.#context = context;
    this.connection = connection;
    this.#stream = stream;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    this.#bodyDone = stream.endAfterHeaders;
    this.method = headers[':method'] ?? '';
    this.target = headers[':path'] ?? '';
  }

  get gone(): boolean {
    return this.#gone;
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    if (typeof value === 'string') return value;
    if (value !== undefined) return value.join(', ');
    return name === 'host' ? this.#headers[':authority'] : undefined;
  }

  headerValues(name: string): readonly string[] {
    const values: string[] = [];
    const raw = this.#rawHeaders;
    for (let i = 0; i < raw.length; i += 2) if (raw[i] === name) values.push(raw[i + 1]!);
    return values;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers).filter((name) => !name.startsWith(':'));
  }

  body(limit: number): MaybePromise<BodyResult> {
    if (this.#bodyDone) return EMPTY_BODY;
    if (this.#gone) return ABORTED;
    const declared = declaredLength(this.#headers['content-length']);
    if (declared > limit) return TOO_LARGE;
    if (this.#headers.expect?.toLowerCase() === '100-continue') this.#stream.additionalHeaders({ ':status': 100 });
    this.deadline = this.#context.wheel.in(this.#context.limits.bodyTimeoutMs);
    return new Promise((resolve) => {
      this.#reader = new BodyReader(this.#stream, declared, limit, (result) => {
        this.deadline = NEVER;
        this.#reader = undefined;
        this.#bodyDone = result.outcome === 'ok';
        resolve(result);
      });
    });
  }

  onClose(listener: () => void): void {
    if (this.#gone) listener();
    else if (this.#closers === undefined) this.#closers = [listener];
    else this.#closers.push(listener);
  }

  deadlineFor(bytes: number): number {
    return readerDeadline(this.#context, bytes);
  }

  send(answer: Answer): void {
    const stream = this.#stream;
    if (this.#gone || stream.destroyed || stream.closed) {
      startClosed(answer);
      return;
    }
    switch (answer.kind) {
      case 'bytes': {
        const { body } = answer;
        this.deadline = readerDeadline(this.#context, body.byteLength);
        stream.respond(headersOf(answer.status, answer.headers, body.byteLength));
        // Node ends a HEAD request by itself, and statuses without a body too.
        if (!stream.writableEnded) stream.end(body);
        break;
      }
      case 'chunks':
        stream.respond(headersOf(answer.status, answer.headers, answer.chunks.size ?? -1));
        if (stream.writableEnded) this.deadline = readerDeadline(this.#context, 0);
        else
          writeAll(stream, answer.chunks, (bytes) => {
            this.deadline = readerDeadline(this.#context, bytes);
          });
        break;
      case 'stream':
        stream.respond(headersOf(answer.status, answer.headers, -1));
        if (stream.writableEnded) {
          this.deadline = readerDeadline(this.#context, 0);
          startClosed(answer);
        } else answer.start(new StreamSink(stream, this));
        return;
      case 'websocket':
        this.send({ kind: 'bytes', status: 400, headers: answer.headers, body: NO_WEBSOCKET });
        startClosed(answer);
        return;
    }
    // The rest of a body that nobody will read: tell the client to stop (RFC 9113, 8.1), after the answer.
    if (!this.#bodyDone) stream.close(NGHTTP2_NO_ERROR);
  }

  cut(): void {
    this.#cut = true;
    this.#stream.destroy(brokenOff());
  }

  /** Too slow with its body, or with reading the answer. */
  expire(): void {
    this.deadline = NEVER;
    this.#context.problems.report(
      'too-slow',
      this.connection.remoteAddress,
      'a request was broken off: its client was too slow in sending the body or in reading the answer',
    );
    this.#reader?.abort();
    this.#stream.destroy(brokenOff());
  }

  /** The stream is closed. False if it was the client who broke it off. */
  closed(): boolean {
    const stream = this.#stream;
    // Node ends what the peer broke off: `aborted` tells that apart. It also destroys a stream whose last frame was sent before the writer hears of
    // it, if the request had a body: the code tells that apart from a reset.
    const sent = stream.writableFinished || (stream.writableEnded && stream.rstCode === NGHTTP2_NO_ERROR);
    const whole = sent && stream.headersSent && !stream.aborted;
    this.#gone = true;
    this.#reader?.abort();
    const closers = this.#closers;
    if (closers !== undefined && !whole) {
      this.#closers = undefined;
      for (const listener of closers) listener();
    }
    return whole || this.#cut;
  }
}

/**
 * What a stream is destroyed with, to send RST_STREAM with INTERNAL_ERROR and nothing else. `close(code)` would send END_STREAM first, and a client
 * take the part that it has for the whole; it would also wait for the peer's window.
 */
function brokenOff(): Error {
  return new Error('the answer was broken off');
}

/** `length` -1: not known. */
function headersOf(status: number, headers: AnswerHeaders, length: number): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = { ':status': status, ...(headers as OutgoingHttpHeaders) };
  if (length >= 0 && status !== 204 && status !== 304 && all['content-length'] === undefined)
    all['content-length'] = length;
  return all;
}
