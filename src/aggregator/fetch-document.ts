/** Fetches a document from the server behind an APIService, with limits on its time and its size. */
import type { HttpHeaders } from '../apimachinery/http/transport.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { onAbort } from '../base/abort.ts';
import { concatBytes } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { TransportError } from '../base/errors.ts';
import type { OutboundResponse } from '../server/http/outbound.ts';
import type { BackendClient, RemoteVersion } from './remote-version.ts';

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  /** The ETag of the known document. Default: the document is fetched whether it has changed or not. */
  readonly etag?: string | undefined;
  readonly user: UserInfo;
  /** The time limit of the whole response. */
  readonly timeoutMs: number;
  /** The largest body that is read. A larger one is a failure. */
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}

export interface FetchedDocument {
  readonly status: number;
  readonly contentType: string;
  /** The ETag of the response; '' if there is none. */
  readonly etag: string;
  readonly body: Uint8Array;
}

/**
 * Sends a GET and reads the response, whatever its status. Rejects with a TransportError, or with the reason of the
 * signal. No request is running when it settles.
 */
export async function fetchDocument(
  { client, clock }: { readonly client: BackendClient; readonly clock: Clock },
  to: RemoteVersion,
  request: DocumentRequest,
): Promise<FetchedDocument> {
  const { path, accept, etag = '', user, timeoutMs, limitBytes, signal } = request;
  signal.throwIfAborted();
  const abort = new AbortController();
  const stopListening = onAbort(signal, (reason) => abort.abort(reason));
  const timer = clock.setTimer(
    timeoutMs,
    () => abort.abort(new TransportError(`GET ${path}: no complete answer within ${timeoutMs / 1000} s`)),
    { background: true },
  );
  try {
    const response = await client.request(to, {
      method: 'GET',
      target: path,
      headers: { accept, ...(etag !== '' && { 'if-none-match': etag }) },
      signal: abort.signal,
      user,
    });
    const body = await readBody(response, { path, limitBytes, signal: abort.signal });
    return {
      status: response.status,
      contentType: headerOf(response.headers, 'content-type'),
      etag: headerOf(response.headers, 'etag'),
      body,
    };
  } finally {
    timer.cancel();
    stopListening();
  }
}

async function readBody(
  response: OutboundResponse,
  { path, limitBytes, signal }: { readonly path: string; readonly limitBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const done = new Deferred<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const fail = (reason: Error): void => {
    done.reject(reason);
    response.abort();
  };
  const stopListening = onAbort(signal, fail);
  try {
    response.pipeTo({
      write: (more) => {
        for (const chunk of more) length += chunk.byteLength;
        if (length > limitBytes) {
          fail(new TransportError(`GET ${path}: the answer has more than ${limitBytes} bytes`));
          return false;
        }
        chunks.push(...more);
        return true;
      },
      onDrain: () => undefined,
      end: () => done.resolve(concatBytes(chunks)),
      abort: () =>
        done.reject(new TransportError(`GET ${path}: the connection was closed before the end of the answer`)),
      onClose: () => undefined,
    });
    return await done.promise;
  } finally {
    stopListening();
  }
}

function headerOf(headers: HttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
