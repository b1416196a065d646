/** The HTTP client for webhooks and extension API servers, with kept connections. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { CertificatePool } from '../../pki/x509/certificate-pool.ts';
import type {
  ClientKeyPair,
  OutboundAnswer,
  OutboundCall,
  OutboundClient,
  OutboundRequest,
  OutboundResponse,
  OutboundServer,
  OutboundServerOptions,
  OutboundTarget,
  OutboundUpgrade,
  OutboundUpgradeRequest,
} from '../../server/http/outbound.ts';
import { H2Shared } from '../http2/shared.ts';
import { systemRoots } from '../tls/system-roots.ts';
import { ConnectionPool } from './connection-pool.ts';
import { outboundError } from './errors.ts';
import { followRedirects, type Hop, type HopAnswer } from './follow-redirects.ts';
import { createOutboundServer } from './outbound-server.ts';
import type { Abort, RequestEvents } from './request-events.ts';
import { RunningRequests } from './running-requests.ts';
import { sendThrough, upgradeThrough } from './send-over.ts';
import { sendPost } from './send-post.ts';
import { parseTarget } from './target.ts';

/** Trust configurations whose connections are kept; the least recently used one is dropped first. */
const MAX_POOLS = 512;

export interface OutboundClientOptions {
  /** The clock for the validity of certificates and the timeouts of calls. Default: the system clock. */
  readonly clock?: Clock;
  /** The trust anchors of calls without a CA bundle. Default: those of the system. */
  readonly systemRoots?: () => CertificatePool;
}

/** The parts of a target that decide which connections may be used for it. */
interface PoolTrust {
  readonly ca: string;
  readonly clientCertificate?: ClientKeyPair | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export function createOutboundClient(options: OutboundClientOptions = {}): OutboundClient {
  return new NodeOutboundClient(options);
}

class NodeOutboundClient implements OutboundClient {
  /** Keyed by CA bundle and client certificate. */
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #running = new RunningRequests();
  readonly #clock: Clock;
  readonly #systemRoots: () => CertificatePool;
  readonly #http2: H2Shared;

  constructor(options: OutboundClientOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#systemRoots = options.systemRoots ?? systemRoots;
    this.#http2 = new H2Shared(this.#clock);
  }

  server(options: OutboundServerOptions): OutboundServer {
    return createOutboundServer(options, this.#running, () => this.#pool(options));
  }

  post(call: OutboundCall): Promise<OutboundAnswer> {
    const send = (hop: Hop): Promise<HopAnswer> =>
      // Go names the method of the first request also in failures of later ones.
      this.#run(hop.method === 'POST' ? hop : { ...hop, method: 'POST' }, (events) =>
        sendPost(this.#pool(hop).posts, hop, { events, clock: this.#clock }),
      );
    return followRedirects({ ...call, method: 'POST' }, this.#clock, send);
  }

  request(request: OutboundRequest): Promise<OutboundResponse> {
    return this.#run(request, (events) => {
      const pool = this.#pool(request);
      const target = parseTarget(request);
      return sendThrough(pool, { request, target, events }, request.protocol);
    });
  }

  upgrade(request: OutboundUpgradeRequest): Promise<OutboundUpgrade> {
    return this.#run(request, (events) =>
      upgradeThrough(this.#pool(request), { request, target: parseTarget(request), events }),
    );
  }

  async stop(): Promise<void> {
    this.#running.stop();
    for (const pool of this.#pools.values()) pool.destroy();
    this.#pools.clear();
  }

  #run<T>(
    request: OutboundTarget & { readonly method: string; readonly signal?: AbortSignal },
    start: (events: RequestEvents<T>) => Abort,
  ): Promise<T> {
    const wrap = (error: Error): Error => outboundError(request.method, request, error);
    return this.#running.run({ start, wrap, signal: request.signal });
  }

  #pool(trust: PoolTrust): ConnectionPool {
    const { ca, clientCertificate, insecureSkipVerify = false } = trust;
    const trusted = insecureSkipVerify ? 'insecure' : ca;
    const key =
      clientCertificate === undefined ? trusted : `${trusted}\n${clientCertificate.cert}\n${clientCertificate.key}`;
    const known = this.#pools.get(key);
    if (known !== undefined) {
      this.#pools.delete(key);
      this.#pools.set(key, known);
      return known;
    }
    const pool = new ConnectionPool({
      ca,
      clientCertificate,
      insecure: insecureSkipVerify,
      clock: this.#clock,
      systemRoots: this.#systemRoots,
      http2: this.#http2,
    });
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    if (this.#pools.size > MAX_POOLS && oldest !== undefined) {
      this.#pools.delete(oldest[0]);
      oldest[1].retire();
    }
    return pool;
  }
}
