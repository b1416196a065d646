/** A server that many requests go to. Its address, names and connection pool are looked up once, not per request. */
import type {
  OutboundResponse,
  OutboundServer,
  OutboundServerOptions,
  OutboundServerRequest,
  OutboundServerUpgrade,
  OutboundUpgrade,
} from '../../server/http/outbound.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { outboundError } from './errors.ts';
import type { RunningRequests } from './running-requests.ts';
import { sendThrough, upgradeThrough } from './send-over.ts';
import { keyOf, type Origin, type ParsedTarget } from './target.ts';

/** `lookUp` returns the pool of the server's trust. It is called again when that pool has been dropped. */
export function createOutboundServer(
  options: OutboundServerOptions,
  running: RunningRequests,
  lookUp: () => ConnectionPool,
): OutboundServer {
  return new PreparedServer(options, running, lookUp);
}

class PreparedServer implements OutboundServer {
  readonly authority: string;
  readonly #origin: Required<Origin>;
  readonly #running: RunningRequests;
  readonly #lookUp: () => ConnectionPool;
  #pool: ConnectionPool | undefined;

  constructor(options: OutboundServerOptions, running: RunningRequests, lookUp: () => ConnectionPool) {
    const { host, port } = options.address;
    this.authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const origin: Origin = { host, port, servername: options.serverName };
    this.#origin = { ...origin, key: keyOf(origin) };
    this.#running = running;
    this.#lookUp = lookUp;
  }

  request(request: OutboundServerRequest): Promise<OutboundResponse> {
    return this.#running.run({
      start: (events) => sendThrough(this.#currentPool(), { request, target: this.#targetOf(request.target), events }),
      wrap: (error) => this.#failure(request, error),
      signal: request.signal,
      observer: request.observer,
    });
  }

  upgrade(request: OutboundServerUpgrade): Promise<OutboundUpgrade> {
    return this.#running.run({
      start: (events) =>
        upgradeThrough(this.#currentPool(), { request, target: this.#targetOf(request.target), events }),
      wrap: (error) => this.#failure(request, error),
      signal: request.signal,
      observer: request.observer,
    });
  }

  #currentPool(): ConnectionPool {
    if (this.#pool === undefined || this.#pool.isRetired) this.#pool = this.#lookUp();
    return this.#pool;
  }

  #targetOf(path: string): ParsedTarget {
    const { host, port, servername, key } = this.#origin;
    return { host, port, servername, key, path, authority: this.authority };
  }

  #failure({ method, target }: { readonly method: string; readonly target: string }, error: Error): Error {
    return outboundError(method, { url: `https://${this.authority}${target}`, ca: '' }, error);
  }
}
