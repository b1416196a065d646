/** The HTTP client for webhooks and extension API servers, with kept connections. */
import type { IncomingMessage } from 'node:http';
import { request as sendHttps } from 'node:https';
import { abortReason, onAbort } from '../../base/abort.ts';
import { concatBytes } from '../../base/bytes.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { TransportError, toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CertificatePool } from '../../pki/x509/certificate-pool.ts';
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
import { systemRoots } from '../tls/system-roots.ts';
import { ConnectionPool, discardConnection, FROM_AGENT } from './connection-pool.ts';
import { outboundError, STOPPED } from './errors.ts';
import { type Abort, type RequestEvents, sendHttp1, sendUpgrade } from './http1-request.ts';
import { sendHttp2 } from './http2-request.ts';
import { parseTarget } from './target.ts';

/** Trust configurations whose connections are kept; the least recently used one is dropped first. */
const MAX_POOLS = 64;
const LATE_HEADERS = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const LATE_BODY = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

export interface OutboundClientOptions {
  /** The clock for the validity of certificates. Default: the system clock. */
  readonly clock?: Clock;
  /** The trust anchors of calls without a CA bundle. Default: those of the system. */
  readonly systemRoots?: () => CertificatePool;
}

export function createOutboundClient(options: OutboundClientOptions = {}): OutboundClient {
  return new NodeOutboundClient(options);
}

class NodeOutboundClient implements OutboundClient {
  /** Keyed by CA bundle and client certificate. */
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #running = new Set<Abort>();
  readonly #clock: Clock;
  readonly #systemRoots: () => CertificatePool;
  #stopped = false;

  constructor(options: OutboundClientOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#systemRoots = options.systemRoots ?? systemRoots;
  }

  post(call: OutboundCall): Promise<OutboundAnswer> {
    return this.#run({ ...call, method: 'POST' }, (events) => {
      const { host, port, path, servername, authority } = parseTarget(call);
      const outgoing = sendHttps({
        agent: this.#pool(call.ca, undefined).agent,
        method: 'POST',
        host,
        port,
        path,
        servername,
        headers: {
          host: authority,
          'content-type': call.contentType,
          accept: 'application/json, */*',
          'content-length': call.body.byteLength,
          'user-agent': 'keelson',
        },
      });
      const abort: Abort = (error) => {
        events.failed(error);
        outgoing.destroy(error);
      };
      let lateness = LATE_HEADERS;
      const timer = setTimeout(() => abort(new TransportError(lateness)), call.timeoutMs);
      outgoing.on('response', (answer) => {
        lateness = LATE_BODY;
        readAll(answer, call.answerBytes).then(
          (body) => events.answered({ status: answer.statusCode ?? 0, body }),
          (error: unknown) => abort(toError(error)),
        );
      });
      outgoing.on('error', (error) => events.failed(error));
      outgoing.on('close', () => {
        clearTimeout(timer);
        events.closed();
      });
      outgoing.end(call.body);
      return abort;
    });
  }

  request(request: OutboundRequest): Promise<OutboundResponse> {
    return this.#run(request, (events) => {
      const target = parseTarget(request);
      const pool = this.#pool(request.ca, request.clientCertificate);
      const connection = request.protocol === 'http/1.1' ? FROM_AGENT : pool.negotiate(target);
      return sendOver(connection, events, {
        send: (made) =>
          made.protocol === 'h2'
            ? sendHttp2({ request, target, events }, made.session)
            : sendHttp1({ request, target, events }, pool, made),
        discard: discardConnection,
      });
    });
  }

  upgrade(request: OutboundUpgradeRequest): Promise<OutboundUpgrade> {
    return this.#run(request, (events) => {
      const target = parseTarget(request);
      const connection = this.#pool(request.ca, request.clientCertificate).dial(target);
      return sendOver(connection, events, {
        send: (socket) => sendUpgrade({ request, target, events }, socket),
        discard: (socket) => socket.destroy(),
      });
    });
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
    const pool = new ConnectionPool({
      ca,
      clientCertificate,
      clock: this.#clock,
      systemRoots: this.#systemRoots,
    });
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    if (this.#pools.size > MAX_POOLS && oldest !== undefined) {
      this.#pools.delete(oldest[0]);
      oldest[1].closeIdle();
    }
    return pool;
  }
}

/** Sends a request when its connection is there. An abort before that discards the connection. */
export function sendOver<C, T>(
  connection: MaybePromise<C>,
  events: RequestEvents<T>,
  { send, discard }: { readonly send: (made: C) => Abort; readonly discard: (made: C) => void },
): Abort {
  let isAborted = false;
  let abort: Abort = (error) => {
    isAborted = true;
    events.failed(error);
    events.closed();
  };
  const use = (made: C): void => {
    if (isAborted) discard(made);
    else abort = send(made);
  };
  if (isPromise(connection)) connection.then(use).catch((caught: unknown) => abort(toError(caught)));
  else use(connection);
  return (error) => abort(error);
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
