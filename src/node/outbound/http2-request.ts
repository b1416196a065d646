/** An outbound request over HTTP/2. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { TransportError } from '../../base/errors.ts';
import { type ByteSink, EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import type { AnswerHeaders } from '../../server/http/exchange.ts';
import type { OutboundResponse } from '../../server/http/outbound.ts';
import { pipeReadable } from '../streams/pipe-readable.ts';
import { writableSink } from '../streams/writable-sink.ts';
import { lostConnection, NotProcessedError, StreamResetError } from './errors.ts';
import { type Abort, BODY_ABORTED, type Message, type Sending } from './http1-request.ts';
import type { PooledSession } from './pooled-session.ts';
import type { ParsedTarget } from './target.ts';

/** Sends the head and the body. */
export function sendHttp2(
  { request, target, events }: Sending<Message, OutboundResponse>,
  session: PooledSession,
): Abort {
  const body = request.body === EMPTY_SOURCE ? undefined : request.body;
  let fields: OutgoingHttpHeaders;
  try {
    fields = fieldsOf(request, target, body);
  } catch (caught) {
    session.release();
    throw caught;
  }
  const stream = session.request(fields, body === undefined ? WITHOUT_BODY : WITH_BODY);
  const abort: Abort = (error) => {
    events.failed(error);
    cancel(stream);
  };
  let isAnswered = false;
  stream.on('response', (fields, _flags, raw?: readonly string[]) => {
    isAnswered = true;
    events.answered(new Http2Response(stream, fields, raw));
  });
  stream.on('error', (error) => events.failed(failureOf(stream, session, error)));
  stream.on('close', () => {
    const isComplete = isAnswered && stream.rstCode === constants.NGHTTP2_NO_ERROR;
    if (!isComplete) events.failed(failureOf(stream, session, undefined));
    events.closed();
  });
  if (body instanceof Uint8Array) stream.end(body);
  else body?.pipeTo(writableSink(stream, () => abort(new TransportError(BODY_ABORTED))));
  return abort;
}

/** Node reports a stream of a broken connection as reset, and some of them without an error. */
function failureOf(stream: ClientHttp2Stream, session: PooledSession, error: Error | undefined): Error {
  if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM)
    return new NotProcessedError('http2: the server refused the stream');
  if (session.failure !== undefined) return session.failure;
  if (session.isBroken) return lostConnection('EOF', error);
  return error ?? new StreamResetError(`the stream was reset with code ${stream.rstCode}`);
}

const WITH_BODY = { endStream: false };
const WITHOUT_BODY = { endStream: true };

/** Throws if HTTP does not allow a header. Node checks that only for HTTP/1.1. */
function fieldsOf(
  { method, headers }: Message,
  { path, authority }: ParsedTarget,
  body: Message['body'],
): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = {
    ':method': method,
    ':path': path,
    ':scheme': 'https',
    ':authority': authority,
  };
  if (body instanceof Uint8Array) fields['content-length'] = body.byteLength;
  for (const name of Object.keys(headers)) {
    const value = headers[name]!;
    validateHeaderName(name);
    if (typeof value === 'string') validateHeaderValue(name, value);
    else for (const one of value) validateHeaderValue(name, one);
    fields[name === 'host' ? ':authority' : name] = value as string | string[];
  }
  return fields;
}

function cancel(stream: ClientHttp2Stream): void {
  stream.close(constants.NGHTTP2_CANCEL);
}

const COLON = 0x3a;

function valuesOf(raw: readonly string[], name: string): readonly string[] {
  return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1] === name);
}

class Http2Response implements OutboundResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly #stream: ClientHttp2Stream;

  constructor(stream: ClientHttp2Stream, fields: IncomingHttpHeaders, raw: readonly string[] = []) {
    const headers: Record<string, string | readonly string[]> = {};
    for (const name of Object.keys(fields)) if (name.charCodeAt(0) !== COLON) headers[name] = fields[name]!;
    // Node joins several headers of a name with commas, which warnings contain, too.
    if (headers['warning'] !== undefined) headers['warning'] = valuesOf(raw, 'warning');
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
