/**
 * A request that an HTTP/2 stream received, with its body. H2Exchange adds the answer; they are one object because a
 * request on the hot path should be one allocation.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { type ByteSink, type ByteSource, EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import type { BodyResult, Incoming } from '../../server/http/exchange.ts';
import { NEVER, type Timed } from '../deadline-wheel.ts';
import { extendDeadline, readerDeadline } from '../exchange-context.ts';
import { EMPTY_BODY } from '../http1/read-body.ts';
import type { BodyFlow } from './body-pipe.ts';
import { H2Stream } from './h2-stream.ts';
import { IncomingBody } from './incoming-body.ts';
import { fieldNames, fieldOf, fieldValues, type RequestLine } from './request-fields.ts';
import type { StreamConnection } from './stream-connection.ts';

export abstract class H2Request extends H2Stream implements Incoming, Timed {
  readonly method: string;
  readonly target: string;
  readonly connection: StreamConnection;
  readonly id: number;
  deadline: number = NEVER;
  index: number | undefined = undefined;
  readonly #fields: readonly string[];
  #names: readonly string[] | undefined;
  readonly #body: IncomingBody | undefined;
  /** Whether the client has sent END_STREAM. */
  #remoteEnded: boolean;
  /** Whether the handler reads the body, so that received bytes are returned to the window. */
  #reading = false;
  #answered = false;
  /** Whether `100 Continue` is to be written. */
  #continuePending = false;
  #closeListeners: (() => void)[] | undefined;
  #closed = false;

  constructor(connection: StreamConnection, id: number, fields: readonly string[], line: RequestLine, ended: boolean) {
    super(connection.initialSendWindow, connection.context.limits.streamWindowBytes);
    this.connection = connection;
    this.id = id;
    this.method = line.method;
    this.target = line.target;
    this.#fields = fields;
    this.#remoteEnded = ended;
    this.#body = ended ? undefined : new IncomingBody(line.contentLength);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get remoteEnded(): boolean {
    return this.#remoteEnded;
  }

  get isAnswered(): boolean {
    return this.#answered;
  }

  header(name: string): string | undefined {
    // As in Go, `:authority` takes precedence.
    const authority = name === 'host' ? fieldOf(this.#fields, ':authority') : undefined;
    return authority ?? fieldOf(this.#fields, name);
  }

  headerValues(name: string): readonly string[] {
    return fieldValues(this.#fields, name);
  }

  headerNames(): readonly string[] {
    this.#names ??= fieldNames(this.#fields);
    return this.#names;
  }

  body(limit: number): MaybePromise<BodyResult> {
    if (this.#body === undefined) return EMPTY_BODY;
    return this.#body.read(limit, () => {
      const { context } = this.connection;
      this.#reading = true;
      this.deadline = context.wheel.in(context.limits.bodyTimeoutMs);
      this.#expectBody();
      this.#updateWindow();
    });
  }

  bodySource(): ByteSource {
    const body = this.#body;
    return body === undefined ? EMPTY_SOURCE : { pipeTo: (sink) => this.#pipe(body, sink) };
  }

  #pipe(body: IncomingBody, sink: ByteSink): void {
    const { context } = this.connection;
    if (!this.#remoteEnded) this.#expectBody();
    const pause = (): void => {
      this.#reading = false;
      if (!this.#answered) this.deadline = NEVER;
    };
    const flow: BodyFlow = {
      pause,
      resume: () => {
        this.#reading = true;
        if (!this.#answered && !this.#remoteEnded) this.deadline = readerDeadline(context, 0);
        this.#updateWindow();
      },
      discard: () => {
        if (!this.#remoteEnded) pause();
      },
      delivered: () => {},
    };
    body.pipe(sink, flow, context.limits.streamWindowBytes);
  }

  /** Sends `100 Continue` to a client that waits for it. */
  #expectBody(): void {
    if (this.header('expect')?.toLowerCase() !== '100-continue') return;
    this.#continuePending = true;
    this.connection.queue(this);
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else if (this.#closeListeners === undefined) this.#closeListeners = [listener];
    else this.#closeListeners.push(listener);
  }

  /** Takes DATA of the client. `flowBytes` includes the padding. */
  receive(piece: Uint8Array, flowBytes: number): 'ok' | 'malformed' | 'overflow' {
    if (!this.countReceived(flowBytes)) return 'overflow';
    if (this.#body === undefined) return 'ok';
    const isPiped = this.#body.isPiped;
    if (this.#answered && !isPiped) return this.#body.skip(piece.length) ? 'ok' : 'malformed';
    const { context } = this.connection;
    if (piece.length > 0 && !this.#body.push(piece, context.limits.streamWindowBytes)) return 'malformed';
    if (!this.#reading) return 'ok';
    if (isPiped && !this.#answered) this.deadline = extendDeadline(context, this.deadline, piece.length);
    this.#updateWindow();
    return 'ok';
  }

  /** Called when the client has sent END_STREAM. Returns false if the body is shorter than declared. */
  endReceiving(): boolean {
    this.#remoteEnded = true;
    // Once there is an answer, the deadline belongs to its reader.
    if (this.#reading && !this.#answered) this.deadline = NEVER;
    return this.#body?.end() !== false;
  }

  /** Called when the answer begins. From now on the body is discarded, unless it is piped into a sink. */
  protected markAnswered(): void {
    this.#answered = true;
  }

  /** Returns whether `100 Continue` is due now, and clears the request for it. */
  protected takeContinue(): boolean {
    if (!this.#continuePending) return false;
    this.#continuePending = false;
    // The client no longer waits for it if the body has arrived meanwhile, or the answer.
    return !this.#remoteEnded && !this.#answered;
  }

  /**
   * Called once when the stream is closed. `whole` says that the answer was sent completely; otherwise `onClose`
   * listeners are called.
   */
  protected closeRequest(whole: boolean): void {
    this.#closed = true;
    this.#body?.abort();
    const listeners = this.#closeListeners;
    this.#closeListeners = undefined;
    if (listeners !== undefined && !whole) for (const listener of listeners) listener();
  }

  abstract expire(): void;

  #updateWindow(): void {
    if (!this.#remoteEnded) this.updateWindow();
  }
}
