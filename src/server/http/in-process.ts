/**
 * Requests to a handler inside the process: no socket, no parsing, the same Incoming and Answer. Invariant: bytes pass
 * by reference, so neither side may change what it handed over; a streaming answer is held back while its reader has
 * not taken what was written.
 */
import { onAbort } from '../../base/abort.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import { BugError, TransportError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { type ByteSource, sourceOf } from './byte-stream.ts';
import { type ChunkSource, iterateChunks } from './chunk-source.ts';
import {
  type Answer,
  type AnswerHeaders,
  type AnswerSink,
  type BodyResult,
  type Connection,
  type Handler,
  IN_PROCESS,
  type Incoming,
  startClosed,
} from './exchange.ts';

export interface InProcessRequest {
  readonly method: string;
  /** Path and query: `/api/v1/pods?limit=500`. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** Gives the request up; the answer's stream ends with the reason. */
  readonly signal?: AbortSignal;
}

export interface InProcessResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /**
   * Bytes if they were all there, otherwise a stream that can be read once; leaving its loop early tells the server
   * that the client is gone.
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Rejects only with the signal's reason, or with BugError if the handler breaks its promise not to fail. */
export type InProcessTransport = (request: InProcessRequest) => Promise<InProcessResponse>;

/** What a reader may leave untaken before the writer is asked to wait; about what a socket would hold. */
const HIGH_WATER = 64 * 1024;

/** `connection` says who calls, for handlers that look at it; by default a connection without an identity. */
export function inProcess(handler: Handler, connection: Connection = IN_PROCESS): InProcessTransport {
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
        // Nobody waits any more, but an answer is always started so that its owner can clean up.
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

function respond(answer: Answer, incoming: InProcessIncoming, request: InProcessRequest): InProcessResponse {
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
  readonly #request: InProcessRequest;
  readonly #closers: (() => void)[] = [];
  #closed = false;

  constructor(request: InProcessRequest, connection: Connection) {
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

/** A sink whose other end is an async iterable. */
class PipeBody implements AnswerSink, AsyncIterable<Uint8Array> {
  readonly #incoming: InProcessIncoming;
  readonly #release: () => void;
  #queue: Uint8Array[] = [];
  #at = 0;
  #bytes = 0;
  #full = false;
  /** Why the reading side ends once the queue is empty; `null` is a clean end. */
  #end: Error | null | undefined;
  /** Nobody reads any more. */
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

  /** The reader is gone. */
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
      // A clean end is no news to the server; leaving early is.
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
