/**
 * The in-process transport: calls a handler with the same Incoming and Answer as a listener, without a socket.
 *
 * Bytes pass by reference in both directions. A streaming answer waits while its reader has HIGH_WATER bytes unread.
 */
import type { Transport, TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import { onAbort } from '../../base/abort.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import { BugError, TransportError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { type ByteSource, sourceOf } from './byte-stream.ts';
import { type ChunkSource, iterateChunks } from './chunk-source.ts';
import {
  type Answer,
  type AnswerSink,
  type BodyResult,
  type Connection,
  type Handler,
  IN_PROCESS,
  type Incoming,
  startClosed,
} from './exchange.ts';

/** The unread bytes at which the writer has to wait. About the size of a socket's buffer. */
const HIGH_WATER = 64 * 1024;

/**
 * Returns a transport that calls the handler. `connection` identifies the caller to authenticators; by default it has
 * no identity. The transport rejects with the reason of the request's signal, or with a BugError if the handler throws.
 */
export function inProcess(handler: Handler, connection: Connection = IN_PROCESS): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    const incoming = new InProcessIncoming(request, connection);
    const answered = new Deferred<Answer>();
    const release = onAbort(request.signal, (reason) => {
      incoming.close();
      answered.reject(reason);
    });
    call(handler, incoming).then(
      (answer) => {
        // The request was cancelled. The answer is started all the same, so that its owner can clean up.
        if (answered.settled) startClosed(answer);
        answered.resolve(answer);
      },
      (caught) => answered.reject(new BugError('the handler of an in-process request failed', { cause: caught })),
    );
    try {
      return respond(await answered.promise, incoming, request);
    } finally {
      release();
    }
  };
}

async function call(handler: Handler, incoming: Incoming): Promise<Answer> {
  return handler(incoming);
}

function respond(answer: Answer, incoming: InProcessIncoming, request: TransportRequest): TransportResponse {
  const head = request.method === 'HEAD';
  switch (answer.kind) {
    case 'bytes':
      return { status: answer.status, headers: answer.headers, body: head ? EMPTY_BYTES : answer.body };
    case 'chunks':
      return { status: answer.status, headers: answer.headers, body: head ? EMPTY_BYTES : iterate(answer.chunks) };
    case 'stream': {
      const pipe = new PipeBody(incoming, request.signal);
      if (head) pipe.close();
      answer.start(head ? pipe.closedSink() : pipe);
      return { status: answer.status, headers: answer.headers, body: head ? EMPTY_BYTES : pipe };
    }
    case 'websocket':
    case 'tunnel':
      startClosed(answer);
      return { status: 400, headers: answer.headers, body: EMPTY_BYTES };
  }
}

async function* iterate(chunks: ChunkSource): AsyncGenerator<Uint8Array> {
  yield* iterateChunks(chunks);
}

class InProcessIncoming implements Incoming {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  readonly #request: TransportRequest;
  readonly #closers: (() => void)[] = [];
  #closed = false;

  constructor(request: TransportRequest, connection: Connection) {
    this.method = request.method;
    this.target = request.target;
    this.connection = connection;
    this.#request = request;
  }

  header(name: string): string | undefined {
    const values = this.headerValues(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  headerValues(name: string): readonly string[] {
    const { headers } = this.#request;
    const value = headers !== undefined && Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'string' ? [value] : (value ?? []);
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#request.headers ?? {});
  }

  body(limit: number): MaybePromise<BodyResult> {
    const bytes = this.#request.body ?? EMPTY_BYTES;
    return bytes.byteLength > limit ? { outcome: 'too-large' } : { outcome: 'ok', bytes };
  }

  bodySource(): ByteSource {
    return sourceOf(this.#request.body ?? EMPTY_BYTES);
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closers.push(listener);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const listener of this.#closers.splice(0)) listener();
  }
}

/** The body of a streaming answer: a sink for the handler and an async iterable for the client. */
class PipeBody implements AnswerSink, AsyncIterable<Uint8Array> {
  readonly #incoming: InProcessIncoming;
  readonly #release: () => void;
  #queue: Uint8Array[] = [];
  #at = 0;
  #bytes = 0;
  #full = false;
  /** How the iteration ends once the queue is empty: with an error, or cleanly (`null`). Undefined before the end. */
  #end: Error | null | undefined;
  /** Whether the reader has left. */
  #closed = false;
  #waiting: Deferred<void> | undefined;
  #onDrain: (() => void) | undefined;

  constructor(incoming: InProcessIncoming, signal: AbortSignal | undefined) {
    this.#incoming = incoming;
    this.#release = onAbort(signal, (reason) => {
      this.#queue = [];
      this.#at = 0;
      this.#finish(reason);
      this.close();
    });
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#closed || this.#end !== undefined) return false;
    for (const chunk of chunks) {
      this.#queue.push(chunk);
      this.#bytes += chunk.byteLength;
    }
    this.#full = this.#bytes >= HIGH_WATER;
    this.#wake();
    return !this.#full;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(): void {
    this.#finish(null);
  }

  abort(): void {
    this.#finish(new TransportError('the server broke its answer off'));
  }

  onClose(listener: () => void): void {
    this.#incoming.onClose(listener);
  }

  /** Called when the reader leaves. Tells the handler that the client disconnected. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    this.#queue = [];
    this.#incoming.close();
  }

  closedSink(): AnswerSink {
    this.close();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        while (this.#at < this.#queue.length) yield this.#take();
        if (this.#end instanceof Error) throw this.#end;
        if (this.#end === null) return;
        this.#waiting = new Deferred();
        await this.#waiting.promise;
      }
    } finally {
      // The reader left before the end, so the handler must be told. After an end of the stream it must not be.
      if (this.#end === undefined) this.close();
      this.#release();
    }
  }

  #take(): Uint8Array {
    const chunk = this.#queue[this.#at++]!;
    this.#bytes -= chunk.byteLength;
    if (this.#at === this.#queue.length) {
      this.#queue = [];
      this.#at = 0;
      if (this.#full) {
        this.#full = false;
        this.#onDrain?.();
      }
    }
    return chunk;
  }

  #finish(end: Error | null): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#wake();
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
