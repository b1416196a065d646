/**
 * The calls of a channel: each is the request of an HTTP/2 stream, the receiver of its response, and the sink of its
 * body, in one object.
 * Invariant: a call is settled once. Everything that arrives afterwards is ignored.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { TransportError, toError } from '../../base/errors.ts';
import { GRPC, type GrpcDuplex, type GrpcDuplexSink, GrpcError, type GrpcProgress } from '../../base/grpc.ts';
import type { ByteSink, ByteSource } from '../../server/http/byte-stream.ts';
import type { OutboundResponse } from '../../server/http/outbound.ts';
import type { Timed } from '../deadline-wheel.ts';
import { NEVER } from '../deadline-wheel.ts';
import type { ClientRequest, ClientStream } from '../http2/client/client-stream.ts';
import { NotSentError } from '../outbound/errors.ts';
import type { RequestEvents } from '../outbound/request-events.ts';
import { MessageReader, wholeMessage } from './message-reader.ts';

/** The interface of a channel that its calls use. */
export interface CallChannel {
  readonly endpoint: string;
  readonly maxMessageBytes: number | undefined;
  progressOf(code: number, message: string): GrpcProgress;
  /** Called once when the stream of a call is over. */
  streamClosed(): void;
}

export abstract class GrpcCall implements RequestEvents<OutboundResponse>, ByteSink {
  readonly path: string;
  abstract readonly body: ClientRequest['body'];
  protected readonly channel: CallChannel;
  #reader: MessageReader | undefined;
  #stream: ClientStream | undefined;
  /** The status of the response. Undefined until it has arrived. */
  #status: GrpcError | 'ok' | undefined;
  #isDone = false;

  constructor(channel: CallChannel, path: string) {
    this.channel = channel;
    this.path = path;
  }

  /** Called once, when the call has ended. `error` is undefined if the status is OK. */
  protected abstract done(error: GrpcError | undefined): void;
  protected abstract message(message: Uint8Array): void;

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Called when the call was sent, with its stream. Cancels the stream if the call has ended meanwhile. */
  opened(stream: ClientStream): void {
    if (this.#isDone) stream.cancel(new TransportError('the call is over'));
    else this.#stream = stream;
  }

  /** Settles the call with an error and cancels its stream. */
  cancel(error: GrpcError): void {
    this.settle(error);
    this.#stream?.cancel(error);
  }

  protected settle(error: GrpcError | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.done(error);
  }

  // The response

  answered(response: OutboundResponse): void {
    this.#takeStatus(response.headers);
    if (response.status !== 200 && this.#status === undefined)
      this.#status = this.#failure(`the answer is HTTP ${response.status}: this is not a gRPC server`);
    response.pipeTo(this);
  }

  failed(error: Error): void {
    this.settle(this.#failure(error.message, error));
  }

  closed(): void {
    this.channel.streamClosed();
  }

  // The body of the response

  write(chunks: readonly Uint8Array[]): boolean {
    // A response whose headers have a status has a body that is not gRPC, such as the text of a 404.
    if (this.#isDone || this.#status !== undefined) return true;
    try {
      for (let i = 0; i < chunks.length; i++) this.#push(chunks[i]!);
    } catch (caught) {
      this.cancel(this.#failure(toError(caught).message, caught));
    }
    return true;
  }

  #push(chunk: Uint8Array): void {
    if (this.#reader === undefined) {
      const { maxMessageBytes } = this.channel;
      const message = wholeMessage(chunk, maxMessageBytes);
      if (message !== undefined) {
        this.message(message);
        return;
      }
      this.#reader = new MessageReader((each) => this.message(each), maxMessageBytes);
    }
    this.#reader.push(chunk);
  }

  onDrain(): void {}
  onClose(): void {}

  end(trailers?: HttpHeaders): void {
    if (trailers !== undefined) this.#takeStatus(trailers);
    this.settle(this.#status === 'ok' ? undefined : (this.#status ?? this.#failure('the answer has no status')));
  }

  abort(): void {
    this.settle(this.#failure('the connection was lost'));
  }

  #takeStatus(headers: HttpHeaders): void {
    const status = headers['grpc-status'];
    if (status === undefined) return;
    if (status === '0') {
      this.#status = 'ok';
      return;
    }
    const code = Number(status);
    const message = unescapeMessage(String(headers['grpc-message'] ?? ''));
    this.#status = new GrpcError(code, message, { progress: this.channel.progressOf(code, message) });
  }

  #failure(message: string, cause?: unknown): GrpcError {
    return unavailable(this.channel, message, cause);
  }
}

export class UnaryCall extends GrpcCall implements Timed {
  readonly body: Uint8Array;
  deadline: number = NEVER;
  readonly #timeoutMs: number;
  readonly #onDone: (call: UnaryCall) => void;
  readonly #resolve: (message: Uint8Array) => void;
  readonly #reject: (error: GrpcError) => void;
  #message: Uint8Array | undefined;

  constructor(
    channel: CallChannel,
    request: {
      readonly path: string;
      readonly frame: Uint8Array;
      readonly timeoutMs: number;
      onDone(call: UnaryCall): void;
      resolve(message: Uint8Array): void;
      reject(error: GrpcError): void;
    },
  ) {
    super(channel, request.path);
    this.body = request.frame;
    this.#timeoutMs = request.timeoutMs;
    this.#onDone = request.onDone;
    this.#resolve = request.resolve;
    this.#reject = request.reject;
  }

  expire(): void {
    const text = `${this.channel.endpoint}: no answer within ${this.#timeoutMs} ms`;
    this.cancel(new GrpcError(GRPC.deadlineExceeded, text, { progress: 'unknown' }));
  }

  protected override message(message: Uint8Array): void {
    this.#message ??= message;
  }

  protected override done(error: GrpcError | undefined): void {
    this.#onDone(this);
    if (error === undefined && this.#message !== undefined) this.#resolve(this.#message);
    else this.#reject(error ?? unavailable(this.channel, 'the answer is empty'));
  }
}

export class DuplexCall extends GrpcCall implements GrpcDuplex {
  readonly body: ByteSource = { pipeTo: (sink) => this.#connected(sink) };
  readonly #sink: GrpcDuplexSink;
  /** Frames that wait for the connection. */
  #waiting: Uint8Array[] = [];
  #request: ByteSink | undefined;
  #isClosed = false;

  constructor(channel: CallChannel, path: string, sink: GrpcDuplexSink) {
    super(channel, path);
    this.#sink = sink;
  }

  send(frame: Uint8Array): void {
    if (this.isDone) return;
    if (this.#request === undefined) this.#waiting.push(frame);
    else this.#request.write([frame]);
  }

  close(): void {
    this.#isClosed = true;
    this.cancel(unavailable(this.channel, 'the stream was closed'));
  }

  protected override message(message: Uint8Array): void {
    if (!this.#isClosed) this.#sink.message(message);
  }

  protected override done(error: GrpcError | undefined): void {
    if (!this.#isClosed) this.#sink.end(error ?? unavailable(this.channel, 'the stream has ended'));
  }

  #connected(request: ByteSink): void {
    this.#request = request;
    if (this.#waiting.length > 0) request.write(this.#waiting);
    this.#waiting = [];
  }
}

/** Returns the error of a call that failed without a status. A call that was not sent had no effect. */
export function unavailable({ endpoint }: { readonly endpoint: string }, message: string, cause?: unknown): GrpcError {
  const progress = cause instanceof NotSentError ? 'refused' : 'unknown';
  return new GrpcError(GRPC.unavailable, `${endpoint}: ${message}`, { progress, cause });
}

/**
 * Decodes a status message. gRPC percent-encodes bytes outside of printable ASCII (grpc/grpc `doc/PROTOCOL-HTTP2.md`).
 * A malformed message is returned unchanged.
 */
function unescapeMessage(message: string): string {
  if (!message.includes('%')) return message;
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
