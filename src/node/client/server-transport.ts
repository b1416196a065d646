/**
 * The transport to one API server, over HTTP/2 if the server supports it. Requests share connections; credentials may
 * change between requests. Invariant: a request uses a connection that was made with its own credentials.
 */
import type { HttpHeaders, Transport, TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import { abortReason } from '../../base/abort.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { TransportError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CertificatePool } from '../../pki/x509/certificate-pool.ts';
import type { ClientKeyPair, OutboundTarget } from '../../server/http/outbound.ts';
import { H2Shared } from '../http2/shared.ts';
import { ConnectionPool } from '../outbound/connection-pool.ts';
import { type HttpProxy, parseProxy } from '../outbound/proxy-tunnel.ts';
import type { Abort } from '../outbound/request-events.ts';
import { type Origin, originOf } from '../outbound/target.ts';
import { systemRoots } from '../tls/system-roots.ts';
import { Exchange } from './exchange.ts';

/** The certificates of both sides of a connection. */
export interface Trust {
  /** PEM; '' for the authorities that the system trusts. */
  readonly caPem: string;
  readonly clientCertificate: ClientKeyPair | undefined;
}

/** The credentials of one request. */
export interface Credentials {
  /** The same object while nothing has changed. Another object makes the transport open new connections. */
  readonly trust: Trust;
  /** `authorization` and the headers of impersonation. Headers of a request take precedence. */
  readonly headers: HttpHeaders;
}

/** Credentials that may change. */
export interface CredentialSource {
  /** Called before each request. Returns the same object while nothing has changed. */
  current(): MaybePromise<Credentials>;
  /**
   * Called after the server answered 401 to a request with `used`. Returns other credentials, with which the request is
   * repeated once, or undefined. Calls for the same credentials share one renewal.
   */
  renew(used: Credentials): Promise<Credentials | undefined>;
  /** Called when the transport stops. Ends a running renewal. */
  stop(): void;
}

export interface ServerTransportOptions {
  /** `https://127.0.0.1:6443`, without a slash at its end. It may have a path, to which targets are appended. */
  readonly server: string;
  /** The name in the certificate of the server. Default: the host of the URL. */
  readonly tlsServerName?: string | undefined;
  /** Accepts any certificate of the server. Default false. */
  readonly insecure?: boolean;
  /** The HTTP proxy of connections with TLS: `http://proxy:3128`. Default: none. */
  readonly proxyUrl?: string | undefined;
  readonly credentials: CredentialSource;
  readonly userAgent: string;
  /** The clock for health pings and the validity of certificates. Default: the system clock. */
  readonly clock?: Clock;
  /** The trust anchors without a CA. Default: those of the system. */
  readonly systemRoots?: () => CertificatePool;
}

/** How long running requests may still use connections whose certificates were replaced. */
const REPLACED_MS = 30_000;
const STOPPED = 'the connection was stopped';

export class ServerTransport {
  readonly #options: ServerTransportOptions;
  readonly #clock: Clock;
  readonly #http2: H2Shared;
  readonly #origin: Origin;
  readonly #proxy: HttpProxy | undefined;
  readonly #authority: string;
  readonly #prefix: string;
  readonly #running = new Set<Abort>();
  readonly #pools = new Set<ConnectionPool>();
  #pool: ConnectionPool | undefined;
  #trust: Trust | undefined;
  /** The headers of the last credentials, with the user agent. */
  #headers: HttpHeaders = {};
  #headersOf: Credentials | undefined;
  #isStopped = false;

  constructor(options: ServerTransportOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#http2 = new H2Shared(this.#clock);
    const url = new URL(options.server);
    this.#origin = { ...originOf(url), ...(options.tlsServerName && { servername: options.tlsServerName }) };
    this.#proxy = options.proxyUrl === undefined ? undefined : parseProxy(options.proxyUrl);
    this.#authority = url.host;
    this.#prefix = url.pathname.replace(/\/+$/, '');
  }

  /**
   * Failures are TransportErrors. They are `retryable` if the server did not process the request, or if the request
   * changes nothing and its answer broke off. `connectionLost` tells whether the connection broke after the request
   * was sent.
   */
  readonly transport: Transport = (request) => {
    const { signal } = request;
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    if (this.#isStopped) return Promise.reject(new TransportError(STOPPED, { retryable: false }));
    const credentials = this.#options.credentials.current();
    return isPromise(credentials)
      ? credentials.then((loaded) => this.#send(request, loaded))
      : this.#send(request, credentials);
  };

  /** The number of connections that exist. */
  get connections(): number {
    let sum = 0;
    for (const pool of this.#pools) sum += pool.connections;
    return sum;
  }

  /** Fails running requests, ends their bodies with an error, and closes all connections. */
  stop(): void {
    this.#isStopped = true;
    for (const abort of [...this.#running]) abort(new TransportError(STOPPED, { retryable: false }));
    for (const pool of this.#pools) pool.destroy();
    this.#options.credentials.stop();
  }

  #send(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    return this.#exchange(request, credentials).then((response) =>
      response.status === 401 ? this.#renew(request, response, credentials) : response,
    );
  }

  /** Repeats the request if there are other credentials. */
  async #renew(
    request: TransportRequest,
    response: TransportResponse,
    credentials: Credentials,
  ): Promise<TransportResponse> {
    const renewed = await this.#options.credentials.renew(credentials);
    if (renewed === undefined) return response;
    if (!(response.body instanceof Uint8Array)) await response.body[Symbol.asyncIterator]().return?.();
    return this.#exchange(request, renewed);
  }

  #exchange(request: TransportRequest, credentials: Credentials): Promise<TransportResponse> {
    const { signal } = request;
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    if (this.#isStopped) return Promise.reject(new TransportError(STOPPED, { retryable: false }));
    const base = this.#headersFor(credentials);
    const { host, port, servername } = this.#origin;
    const exchange = new Exchange({
      request,
      message: {
        method: request.method,
        headers: request.headers === undefined ? base : { ...base, ...request.headers },
        ...(request.body !== undefined && { body: request.body }),
      },
      target: { host, port, servername, path: this.#prefix + request.target, authority: this.#authority },
      pool: this.#poolFor(credentials.trust),
      running: this.#running,
      describe: () => this.#describe(request),
    });
    exchange.start();
    return exchange.response;
  }

  /** Returns the target of a request for messages. */
  #describe({ target }: TransportRequest): OutboundTarget {
    return { url: this.#options.server + target, ca: '' };
  }

  #headersFor(credentials: Credentials): HttpHeaders {
    if (credentials !== this.#headersOf) {
      this.#headersOf = credentials;
      this.#headers = { 'user-agent': this.#options.userAgent, ...credentials.headers };
    }
    return this.#headers;
  }

  #poolFor(trust: Trust): ConnectionPool {
    if (this.#pool !== undefined && trust === this.#trust) return this.#pool;
    const replaced = this.#pool;
    const pool = new ConnectionPool({
      ca: trust.caPem,
      clientCertificate: trust.clientCertificate,
      insecure: this.#options.insecure ?? false,
      proxy: this.#proxy,
      isPlain: this.#options.server.startsWith('http:'),
      clock: this.#clock,
      systemRoots: this.#options.systemRoots ?? systemRoots,
      http2: this.#http2,
    });
    this.#trust = trust;
    this.#pool = pool;
    this.#pools.add(pool);
    if (replaced !== undefined) this.#retire(replaced);
    return pool;
  }

  /**
   * Closes the connections of replaced certificates after REPLACED_MS, so that requests that end soon do not fail.
   * client-go closes such connections at once.
   */
  #retire(pool: ConnectionPool): void {
    pool.closeIdle();
    this.#clock.setTimer(
      REPLACED_MS,
      () => {
        pool.destroy();
        this.#pools.delete(pool);
      },
      { background: true },
    );
  }
}
