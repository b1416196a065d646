/** Redirects of a review's POST, by the rules of Go's HTTP client. */
import type { Clock } from '../../base/clock.ts';
import { TransportError } from '../../base/errors.ts';
import type { OutboundAnswer, OutboundCall } from '../../server/http/outbound.ts';
import { outboundError } from './errors.ts';

/** One request of a call. */
export interface Hop extends OutboundCall {
  readonly method: 'POST' | 'GET';
}

export interface HopAnswer extends OutboundAnswer {
  /** The header Location. */
  readonly location: string | undefined;
}

/** Go's limit of requests for one call. */
const MAX_REQUESTS = 10;
/** Redirects after which Go sends a GET without a body. */
const AS_GET: ReadonlySet<number> = new Set([301, 302, 303]);
/** Redirects after which Go sends the same request. */
const UNCHANGED: ReadonlySet<number> = new Set([307, 308]);

/**
 * Sends the request and follows redirects within its time. Unlike Go it follows none to another scheme than https: the
 * review would be sent in plain text.
 */
export async function followRedirects(
  first: Hop,
  clock: Clock,
  send: (hop: Hop) => Promise<HopAnswer>,
): Promise<OutboundAnswer> {
  const end = clock.monotonic() + first.timeoutMs;
  let hop = first;
  for (let requests = 1; ; requests++) {
    const answer = await send(hop);
    const { status, location } = answer;
    if (location === undefined || !(AS_GET.has(status) || UNCHANGED.has(status))) return answer;
    const next = nextHop(hop, status, location);
    if (requests === MAX_REQUESTS) throw outboundError('POST', next, new TransportError('stopped after 10 redirects'));
    hop = { ...next, timeoutMs: Math.max(0, end - clock.monotonic()) };
  }
}

/**
 * Returns the request after a redirect. It keeps the address only for the same host and port, and the headers, which
 * may have credentials, only for the same host name.
 */
function nextHop({ address, headers, ...hop }: Hop, status: number, location: string): Hop {
  const url = targetOf(location, hop);
  const [before, after] = [new URL(hop.url), new URL(url)];
  return {
    ...hop,
    url,
    method: AS_GET.has(status) ? 'GET' : hop.method,
    ...(address !== undefined && before.host === after.host && { address }),
    ...(headers !== undefined && before.hostname === after.hostname && { headers }),
  };
}

function targetOf(location: string, hop: Hop): string {
  let url: URL;
  try {
    url = new URL(location, hop.url);
  } catch (cause) {
    const problem = new TransportError(`failed to parse Location header ${JSON.stringify(location)}`, { cause });
    throw outboundError('POST', hop, problem);
  }
  if (url.protocol === 'https:') return url.href;
  throw outboundError('POST', { ...hop, url: url.href }, new TransportError('the redirect does not lead to https'));
}
