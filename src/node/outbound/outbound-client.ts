/** The HTTP client for webhooks and extension API servers, with kept connections. */
import type { IncomingMessage } from 'node:http';
import { request as sendHttps } from 'node:https';
import { abortReason, onAbort } from '../../base/abort.ts';
import { concatBytes } from '../../base/bytes.ts';
import { TransportError, toError } from '../../base/errors.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type {
  ClientKeyPair,
  OutboundAnswer,
  OutboundCall,
  OutboundClient,
  OutboundRequest,
  OutboundResponse,
  OutboundTarget,
  OutboundUpgrade,
  OutboundUpgradeRequest,
} from '../../server/http/outbound.ts';
import { type Connection, ConnectionPool, FROM_AGENT } from './connection-pool.ts';
import { outboundError, STOPPED } from './errors.ts';
import { type Abort, type RequestEvents, sendHttp1, sendUpgrade } from './http1-request.ts';
import { sendHttp2 } from './http2-request.ts';
import { parseTarget } from './target.ts';

/** Trust configurations whose connections are kept; the least recently used one is dropped first. */
const MAX_POOLS = 64;
const LATE_HEADERS = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const LATE_BODY = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

export function createOutboundClient(): OutboundClient {
  return new NodeOutboundClient();
}

class NodeOutboundClient implements OutboundClient {
  /** Keyed by CA bundle and client certificate. */
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #running = new Set<Abort>();
  #stopped = false;

  post(call: OutboundCall): Promise<OutboundAnswer> {
    return this.#run({ ...call, method: 'POST' }, (events) => {
      const { host, port, path, servername, authority } = parseTarget(call);
      const outgoing = sendHttps({
        agent: this.#pool(call.ca, undefined).agent,
        method: 'POST',
        host,
        port,
        path,
        ...(servername === undefined ? undefined : { servername }),
        headers: {
          host: authority,
          'content-type': call.contentType,
          accept: 'application/json, */*',
          'content-length': call.body.byteLength,
          'user-agent': 'keelson',
        },
      });
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        outgoing.destroy(new TransportError(LATE_HEADERS));
      }, call.timeoutMs);
      outgoing.on('response', (answer) => {
        readAll(answer, call.answerBytes).then(
          (body) => events.answered({ status: answer.statusCode ?? 0, body }),
          (error: unknown) => {
            outgoing.destroy();
            events.failed(isLate ? new TransportError(LATE_BODY) : toError(error));
          },
        );
      });
      outgoing.on('error', (error) => events.failed(error));
      outgoing.on('close', () => {
        clearTimeout(timer);
        events.closed();
      });
      outgoing.end(call.body);
      return (error) => outgoing.destroy(error);
    });
  }

  request(request: OutboundRequest): Promise<OutboundResponse> {
    return this.#run(request, (events) => {
      const target = parseTarget(request);
      const pool = this.#pool(request.ca, request.clientCertificate);
      let isAborted = false;
      let abort: Abort = (error) => {
        isAborted = true;
        events.failed(error);
        events.closed();
      };
      const send = (connection: Connection): void => {
        if (!isAborted)
          abort =
            connection.protocol === 'h2'
              ? sendHttp2({ request, target, events }, connection.session)
              : sendHttp1({ request, target, events }, pool, connection);
        else if (connection.protocol === 'http/1.1') connection.socket?.destroy();
      };
      const connection = request.protocol === 'http/1.1' ? FROM_AGENT : pool.negotiate(target);
      if (isPromise(connection)) connection.then(send).catch((caught: unknown) => abort(toError(caught)));
      else send(connection);
      return (error) => abort(error);
    });
  }

  upgrade(request: OutboundUpgradeRequest): Promise<OutboundUpgrade> {
    return this.#run(request, (events) =>
      sendUpgrade({ request, target: parseTarget(request), events }, this.#pool(request.ca, request.clientCertificate)),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const abort of [...this.#running]) abort(new TransportError(STOPPED));
    for (const pool of this.#pools.values()) pool.destroy();
    this.#pools.clear();
  }

  /** Starts a request and keeps it abortable until it is closed. */
  #run<T>(
    request: OutboundTarget & { readonly method: string; readonly signal?: AbortSignal },
    start: (events: RequestEvents<T>) => Abort,
  ): Promise<T> {
    const { method, signal } = request;
    if (this.#stopped) return Promise.reject(outboundError(method, request, new TransportError(STOPPED)));
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    return new Promise((resolve, reject) => {
      let release = (): void => {};
      let abort: Abort;
      const failed = (error: Error): void => reject(outboundError(method, request, error));
      try {
        abort = start({
          answered: resolve,
          failed,
          closed: () => {
            this.#running.delete(abort);
            release();
          },
        });
      } catch (caught) {
        // A header that HTTP does not allow.
        failed(toError(caught));
        return;
      }
      this.#running.add(abort);
      release = onAbort(signal, (reason) => {
        reject(reason);
        abort(reason);
      });
    });
  }

  #pool(ca: string, clientCertificate: ClientKeyPair | undefined): ConnectionPool {
    const key = clientCertificate === undefined ? ca : `${ca}\n${clientCertificate.cert}\n${clientCertificate.key}`;
    const known = this.#pools.get(key);
    if (known !== undefined) {
      this.#pools.delete(key);
      this.#pools.set(key, known);
      return known;
    }
    const pool = new ConnectionPool({ ca, clientCertificate });
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    if (this.#pools.size > MAX_POOLS && oldest !== undefined) {
      this.#pools.delete(oldest[0]);
      oldest[1].closeIdle();
    }
    return pool;
  }
}

function readAll(answer: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    answer.on('data', (chunk: Uint8Array) => {
      size += chunk.byteLength;
      if (size > limit) {
        answer.destroy();
        reject(new TransportError(`the answer is larger than ${limit} bytes`));
      } else chunks.push(chunk);
    });
    answer.on('end', () => resolve(concatBytes(chunks)));
    answer.on('error', reject);
  });
}
