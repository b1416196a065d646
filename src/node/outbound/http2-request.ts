/** An outbound request over HTTP/2. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { TransportError } from '../../base/errors.ts';
import { type ByteSink, EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import type { AnswerHeaders } from '../../server/http/exchange.ts';
import type { OutboundRequest, OutboundResponse } from '../../server/http/outbound.ts';
import { pipeReadable } from '../streams/pipe-readable.ts';
import { writableSink } from '../streams/writable-sink.ts';
import type { PooledSession } from './connection-pool.ts';
import { type Abort, BODY_ABORTED, type Sending } from './http1-request.ts';

/** Sends the head and the body. */
export function sendHttp2(
  { request, target, events }: Sending<OutboundRequest, OutboundResponse>,
  session: PooledSession,
): Abort {
  const body = request.body === EMPTY_SOURCE ? undefined : request.body;
  const { host, ...headers } = request.headers;
  validateHeaders(request.headers);
  const stream = session.request(
    {
      ':method': request.method,
      ':path': target.path,
      ':scheme': 'https',
      ':authority': (host as string | undefined) ?? target.authority,
      ...(body instanceof Uint8Array ? { 'content-length': body.byteLength } : undefined),
      ...(headers as Record<string, string>),
    },
    { endStream: body === undefined },
  );
  const abort: Abort = (error) => {
    events.failed(error);
    cancel(stream);
  };
  stream.on('response', (fields) => events.answered(new Http2Response(stream, fields)));
  stream.on('error', (error) => events.failed(error));
  stream.on('close', () => {
    events.failed(new TransportError(`the stream was reset with code ${stream.rstCode}`));
    events.closed();
  });
  if (body instanceof Uint8Array) stream.end(body);
  else body?.pipeTo(writableSink(stream, () => abort(new TransportError(BODY_ABORTED))));
  return abort;
}

/** Throws if HTTP does not allow a header. Node does so only for HTTP/1.1. */
function validateHeaders(headers: AnswerHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const one of [value].flat()) validateHeaderValue(name, one);
  }
}

function cancel(stream: ClientHttp2Stream): void {
  stream.close(constants.NGHTTP2_CANCEL);
}

class Http2Response implements OutboundResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly #stream: ClientHttp2Stream;

  constructor(stream: ClientHttp2Stream, fields: IncomingHttpHeaders) {
    const headers: Record<string, string | readonly string[]> = {};
    for (const [name, value] of Object.entries(fields))
      if (!name.startsWith(':') && value !== undefined) headers[name] = value;
    this.status = Number(fields[':status'] ?? 0);
    this.headers = headers;
    this.#stream = stream;
  }

  pipeTo(sink: ByteSink): void {
    pipeReadable(this.#stream, sink, {
      // Node emits 'end' also for a stream that was reset or lost its connection.
      isComplete: () => this.#stream.rstCode === constants.NGHTTP2_NO_ERROR,
      onCancel: () => this.abort(),
    });
  }

  abort(): void {
    cancel(this.#stream);
  }
}
