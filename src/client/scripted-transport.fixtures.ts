/** A transport whose responses are written by a test. */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { BugError } from '../base/errors.ts';

export interface ScriptedTransport {
  readonly transport: Transport;
  /** The requests so far. */
  readonly requests: TransportRequest[];
  /** The bodies of the requests so far as JSON values; undefined for none. */
  bodies(): unknown[];
}

/** The n-th request gets the n-th response. One more request is a BugError. */
export function scripted(...responses: readonly TransportResponse[]): ScriptedTransport {
  const requests: TransportRequest[] = [];
  return {
    requests,
    bodies: () =>
      requests.map(({ body }) => (body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body)))),
    transport: async (request) => {
      const response = responses[requests.length];
      requests.push(request);
      if (response === undefined) throw new BugError(`unexpected ${request.method} ${request.target}`);
      return response;
    },
  };
}

export function json(value: unknown, status = 200, headers: TransportResponse['headers'] = {}): TransportResponse {
  return { status, headers, body: encodeUtf8(JSON.stringify(value)) };
}

export function text(body: string, status = 200, headers: TransportResponse['headers'] = {}): TransportResponse {
  return { status, headers, body: encodeUtf8(body) };
}

/** A response in chunks. `onClose` is called when the reader leaves, also at the end. */
export function stream(
  chunks: Iterable<string | Uint8Array>,
  onClose: () => void = () => undefined,
): TransportResponse {
  return { status: 200, headers: {}, body: iterate(chunks, onClose) };
}

async function* iterate(chunks: Iterable<string | Uint8Array>, onClose: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (const chunk of chunks) yield typeof chunk === 'string' ? encodeUtf8(chunk) : chunk;
  } finally {
    onClose();
  }
}
