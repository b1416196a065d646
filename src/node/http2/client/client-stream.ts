/**
 * One request of a client and its response, on an HTTP/2 stream. The stream is opened when its headers are written, so
 * streams are opened in the order of their numbers, and a request that is cancelled before that is never sent.
 * Invariant: every request ends with exactly one `closed`, after its response, or after the failure of either.
 */
import type { HttpHeaders } from '../../../apimachinery/http/transport.ts';
import { TransportError } from '../../../base/errors.ts';
import type { ByteSink, ByteSource } from '../../../server/http/byte-stream.ts';
import type { OutboundResponse } from '../../../server/http/outbound.ts';
import { BODY_ABORTED, type RequestEvents } from '../../outbound/request-events.ts';
import type { BodyFlow } from '../body-pipe.ts';
import type { FrameOutput } from '../frame-output.ts';
import { type FlowConnection, H2Stream } from '../h2-stream.ts';
import type { RequestHead } from '../hpack-encoder.ts';
import { IncomingBody } from '../incoming-body.ts';
import type { ResponseHead } from './response-fields.ts';

export interface ClientRequest extends RequestHead {
  /** Undefined: none. A source is piped when the request is sent. */
  readonly body: Uint8Array | ByteSource | undefined;
}

/** The interface of a client's connection that its streams use. */
export interface ClientStreamConnection extends FlowConnection {
  readonly streamWindowBytes: number;
  /** Encodes the header block of a request, which must be written before the next call. */
  encode(head: RequestHead, length: number): Buffer;
  /** Returns the number of a stream whose headers are written now. */
  open(stream: ClientStream): number;
  /** Called when the stream is complete. Resets it if the request body was not sent to its end. */
  streamFinished(stream: ClientStream): void;
  /** Cancels a stream from this side. */
  cancel(stream: ClientStream): void;
}

/**
 * A response that declares at most this length is handed on with the first bytes of its body, which servers send right
 * after the head: head and body then leave in one write.
 */
const SHORT_BODY = 64 * 1024;
const CANCELLED = 'the request was cancelled';
const NO_HEADERS: HttpHeaders = {};

export class ClientStream extends H2Stream implements OutboundResponse, BodyFlow {
  readonly connection: ClientStreamConnection;
  /** 0 before the stream is opened. */
  id = 0;
  /** 0 before the response. */
  status = 0;
  headers: HttpHeaders = NO_HEADERS;
  readonly #request: ClientRequest;
  readonly #events: RequestEvents<OutboundResponse>;
  /** The body of the response, unless it has none. */
  #body: IncomingBody | undefined;
  /** Whether the server has sent END_STREAM. */
  #remoteEnded = false;
  /** Whether received bytes are returned to the window of the server. */
  #reading = false;
  /** Whether the head waits for the first bytes of the body. */
  #isHeld = false;
  #isClosed = false;
  /** Whether the sink has the whole body of the response. */
  #isDelivered = false;
  /** Whether the response or its failure has been handed on completely. */
  #isOver = false;
  #closeListeners: (() => void)[] | undefined;

  constructor(connection: ClientStreamConnection, request: ClientRequest, events: RequestEvents<OutboundResponse>) {
    super(connection.initialSendWindow, connection.streamWindowBytes);
    this.connection = connection;
    this.#request = request;
    this.#events = events;
  }

  /** Sends the request. Called once. Returns whether its body is complete. */
  start(): boolean {
    const { body } = this.#request;
    this.connection.queue(this);
    if (body === undefined) return true;
    if (!(body instanceof Uint8Array)) body.pipeTo(new RequestBodySink(this));
    else if (body.length > 0) this.sendWhole(body);
    else return true;
    return this.isWhole;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get remoteEnded(): boolean {
    return this.#remoteEnded;
  }

  // Sending

  protected override writeHead(output: FrameOutput): void {
    if (this.id !== 0) return;
    const { body } = this.#request;
    const length = body instanceof Uint8Array ? body.length : -1;
    const isAlone = body === undefined || length === 0;
    const block = this.connection.encode(this.#request, length);
    this.id = this.connection.open(this);
    output.headers(this.id, block, isAlone);
    if (isAlone) this.endWithHead();
  }

  /** The stream ends with the response. */
  protected override localEnd(): void {}
  /** A server that does not read its request is found by its silence; see PooledSession. */
  protected override becameFull(): void {}
  protected override becameReady(): void {}
  protected override becameEnding(): void {}
  protected override sourceAdvanced(): void {}

  /** Adds a listener that is called once if the stream closes before the whole request body is sent. */
  onBodyClose(listener: () => void): void {
    if (this.#isClosed) {
      if (!this.localEnded) listener();
    } else if (this.#closeListeners === undefined) this.#closeListeners = [listener];
    else this.#closeListeners.push(listener);
  }

  // Receiving

  /** Takes the head of the response. Returns false if it is malformed. */
  respond({ status, headers, contentLength }: ResponseHead, ends: boolean): boolean {
    const hasNoBody = this.#request.method === 'HEAD' || status === 204 || status === 304;
    if (ends && contentLength > 0 && !hasNoBody) return false;
    this.status = status;
    this.headers = headers;
    if (!ends && !hasNoBody) {
      this.#body = new IncomingBody(contentLength);
      if (contentLength > 0 && contentLength <= SHORT_BODY) {
        this.#isHeld = true;
        return true;
      }
    }
    this.#events.answered(this);
    // `answered` may have cancelled the request.
    return !ends || this.#isClosed || this.endReceiving();
  }

  receive(piece: Uint8Array, flowBytes: number): 'ok' | 'malformed' | 'overflow' {
    if (!this.countReceived(flowBytes)) return 'overflow';
    if (this.status === 0) return 'malformed';
    if (this.#body === undefined) return piece.length === 0 ? 'ok' : 'malformed';
    if (piece.length > 0 && !this.#body.push(piece, this.connection.streamWindowBytes)) return 'malformed';
    if (this.#isHeld && piece.length > 0) {
      this.#isHeld = false;
      this.#events.answered(this);
    }
    if (this.#reading && !this.#isClosed) this.updateWindow();
    return 'ok';
  }

  endReceiving(trailers?: HttpHeaders): boolean {
    if (this.status === 0) return false;
    // The reader of the body left when it got the last bytes.
    if (this.#isClosed) return true;
    this.#remoteEnded = true;
    if (this.#body?.end(trailers) === false) return false;
    this.connection.streamFinished(this);
    this.#close();
    if (this.#body === undefined || this.#isDelivered) this.#finish();
    return true;
  }

  pipeTo(sink: ByteSink): void {
    if (this.#body !== undefined) this.#body.pipe(sink, this, this.connection.streamWindowBytes);
    else if (this.#isOver && !this.#remoteEnded) sink.abort();
    else sink.end();
  }

  /** See BodyFlow. */
  pause(): void {
    this.#reading = false;
  }

  resume(): void {
    this.#reading = true;
    if (!this.#remoteEnded && !this.#isClosed) this.updateWindow();
  }

  discard(): void {
    this.abort();
  }

  delivered(): void {
    this.#isDelivered = true;
    if (this.#isClosed) this.#finish();
  }

  // Closing

  abort(): void {
    this.cancel(new TransportError(CANCELLED));
  }

  /** Cancels the request. Before the response, it fails with the error; afterwards, the body aborts. */
  cancel(error: Error): void {
    if (this.#isClosed || this.#remoteEnded) {
      // The response is complete: only the reader of its body is left.
      this.#body?.abort();
      this.#finish();
      return;
    }
    this.connection.cancel(this);
    this.fail(error);
  }

  /** Called when the stream is over without a complete response. */
  fail(error: Error): void {
    if (this.#isClosed) return;
    this.#close();
    this.#events.failed(error);
    this.#body?.abort();
    this.#finish();
  }

  #close(): void {
    this.#isClosed = true;
    this.dropBody();
    const listeners = this.#closeListeners;
    this.#closeListeners = undefined;
    if (listeners !== undefined && !this.localEnded) for (const listener of listeners) listener();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.closed();
  }
}

/** The body of a request that is being sent. */
class RequestBodySink implements ByteSink {
  readonly #stream: ClientStream;
  #isEnded = false;

  constructor(stream: ClientStream) {
    this.#stream = stream;
  }

  write(chunks: readonly Uint8Array[]): boolean {
    return !this.#isEnded && this.#stream.write(chunks);
  }

  onDrain(listener: () => void): void {
    this.#stream.onDrain(listener);
  }

  end(): void {
    this.#isEnded = true;
    this.#stream.end();
  }

  abort(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stream.cancel(new TransportError(BODY_ABORTED));
  }

  onClose(listener: () => void): void {
    this.#stream.onBodyClose(listener);
  }
}
