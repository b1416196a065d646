/**
 * The proxy to the servers of remote group-versions. Bodies are streamed in both directions.
 *
 * kube-aggregator answers failures with plain text. This proxy answers with a Status of the same code, which clients
 * can show.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { serviceUnavailable, timeout } from '../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../base/clock.ts';
import { TransportError } from '../../base/errors.ts';
import { Deadlines } from '../../server/deadlines.ts';
import { joinTunnels } from '../../server/http/byte-stream.ts';
import type { Answer, Incoming } from '../../server/http/exchange.ts';
import type { OutboundUpgrade } from '../../server/http/outbound.ts';
import type { RequestInfo } from '../../server/http/request-info.ts';
import type { RequestHandler, ServerRequest } from '../../server/http/server-request.ts';
import type { ProxyHandler } from '../aggregator-server.ts';
import type { BackendClient, RemoteVersion } from '../remote-version.ts';
import { isOwnService } from './backend-client.ts';
import { backendTarget } from './backend-target.ts';
import { forwardedHeaders, upgradeHeaders } from './forwarded-headers.ts';
import { failureOf, responseAnswer, upgradeFailureOf } from './proxy-answer.ts';
import { ProxyExchange } from './proxy-exchange.ts';

export interface ProxyOptions {
  readonly client: BackendClient;
  readonly clock: Clock;
  /** `--aggregator-reject-forwarding-redirect`: a redirect of a server is answered with 502. Default true. */
  readonly rejectsRedirects?: boolean;
  /** Answers requests to `default/kubernetes:443`, which is this server itself. */
  readonly own: RequestHandler;
}

/** The time limit of a request to `/apis/<group>/<version>`, as in kube-aggregator. */
const DISCOVERY_MS = 5_000;

/** Creates the handler that forwards requests to the server of their version. */
export function createProxy({ client, clock, rejectsRedirects = true, own }: ProxyOptions): ProxyHandler {
  const deadlines = new Deadlines(clock);
  return (request, to) => {
    if (isOwnService(to.service)) return own(request);
    const { incoming, info } = request;
    const target = backendTarget(incoming.target, info);
    const exchange = exchangeFor(request, deadlines);
    incoming.onClose(() => exchange.leave());
    const { method } = incoming;
    if (isUpgrade(incoming)) {
      const upgrade = incoming.header('upgrade') ?? '';
      const sent = client.upgrade(to, {
        method,
        target,
        headers: upgradeHeaders(request),
        upgrade,
        observer: exchange,
      });
      return sent.then(
        (result) => upgradeAnswer(request, to, result, exchange),
        (caught: unknown) => {
          throw upgradeFailureOf(caught);
        },
      );
    }
    const headers = forwardedHeaders(request, target);
    const body = incoming.bodySource();
    return client.request(to, { method, target, headers, body, observer: exchange, isForwarded: true }).then(
      (response) => responseAnswer(request, to, response, rejectsRedirects),
      (caught: unknown) => {
        throw failureOf(caught);
      },
    );
  };
}

function upgradeAnswer(
  request: ServerRequest,
  to: RemoteVersion,
  result: OutboundUpgrade,
  exchange: ProxyExchange,
): Answer {
  if (result.kind === 'tunnel') {
    exchange.keepOpen();
    const { protocol, headers, tunnel } = result;
    return { kind: 'tunnel', protocol, headers, start: (peer) => joinTunnels(peer, tunnel) };
  }
  const { response } = result;
  if (response.status >= 400) return responseAnswer(request, to, response, false);
  response.abort();
  const message = `invalid upgrade response: status code ${response.status}`;
  throw new StatusError(serviceUnavailable(message), { cause: new TransportError(message) });
}

function exchangeFor({ info, startedAt, deadline }: ServerRequest, deadlines: Deadlines): ProxyExchange {
  const discovered = startedAt + DISCOVERY_MS;
  if (isDiscovery(info) && discovered < deadline) return new ProxyExchange(deadlines, discovered, lateDiscovery);
  return new ProxyExchange(deadlines, deadline, lateRequest);
}

function lateDiscovery(): Error {
  return new StatusError(serviceUnavailable('error trying to reach service: context deadline exceeded'), {
    cause: new TransportError('a server did not answer a discovery request in time'),
  });
}

function lateRequest(): Error {
  return new StatusError(timeout('request did not complete within the allotted timeout', 0));
}

/** Whether the path is `/apis/<group>/<version>`, with or without a trailing slash. */
function isDiscovery({ isResourceRequest, path }: RequestInfo): boolean {
  return !isResourceRequest && path.replace(/^\/+|\/+$/g, '').split('/').length === 3;
}

/** Whether the request asks for an upgrade. HTTP/2 has none. */
function isUpgrade(incoming: Incoming): boolean {
  if (incoming.connection.protocol === 'h2') return false;
  return incoming.header('connection')?.toLowerCase().includes('upgrade') ?? false;
}
