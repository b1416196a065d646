/**
 * Makes the headers of a request that is forwarded to the server of a group-version.
 *
 * Invariants: credentials of the client are not forwarded, and neither are client headers that the server could mistake
 * for headers of this proxy. The proxy sets its own headers after the client's, so a client cannot remove them by
 * listing them in Connection.
 */
import { isImpersonationHeader } from '../../server/filters/impersonation/impersonation-headers.ts';
import type { Incoming } from '../../server/http/exchange.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import { forwardedUri } from './backend-target.ts';
import { isUserHeader, type MutableHeaders, setUserHeaders } from './user-headers.ts';

const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Headers of one connection (RFC 9110, 7.6.1), credentials, and headers that this server sets. */
const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  // This name would set the prototype of the headers object.
  '__proto__',
  'authorization',
  'audit-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-uri',
]);

/** Returns the headers of a request that is not an upgrade, without X-Forwarded-Host: the address is not known yet. */
export function forwardedHeaders(request: ServerRequest, target: string): MutableHeaders {
  const headers = commonHeaders(request);
  headers['x-forwarded-uri'] = forwardedUri(target);
  headers['x-forwarded-proto'] = 'https';
  return headers;
}

/**
 * Returns the headers of an upgrade request. Like kube-aggregator, it does not set X-Forwarded-Host, -Proto and -Uri,
 * but forwards those of the client.
 */
export function upgradeHeaders(request: ServerRequest): MutableHeaders {
  const { incoming } = request;
  const headers = commonHeaders(request);
  for (const name of ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri']) copyHeader(headers, incoming, name);
  const protocols = incoming.header('sec-websocket-protocol');
  if (protocols?.includes(BEARER_PROTOCOL)) {
    const offered = protocols.split(',').map((protocol) => protocol.trim());
    headers['sec-websocket-protocol'] = offered.filter((name) => !name.startsWith(BEARER_PROTOCOL)).join(', ');
  }
  return headers;
}

function commonHeaders({ incoming, auditId, user }: ServerRequest): MutableHeaders {
  const headers: MutableHeaders = {};
  const listed = listedHeaders(incoming);
  const names = incoming.headerNames();
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    if (DROPPED.has(name) || isUserHeader(name) || isImpersonationHeader(name) || listed?.has(name)) continue;
    copyHeader(headers, incoming, name);
  }
  headers['audit-id'] = auditId;
  const address = incoming.connection.remoteAddress;
  const before = incoming.header('x-forwarded-for');
  if (address !== '') headers['x-forwarded-for'] = before === undefined ? address : `${before}, ${address}`;
  else if (before !== undefined) headers['x-forwarded-for'] = before;
  setUserHeaders(headers, user);
  return headers;
}

function copyHeader(headers: MutableHeaders, incoming: Incoming, name: string): void {
  const values = incoming.headerValues(name);
  const [first] = values;
  if (first === undefined) return;
  // The listener has checked that repeated lengths are equal.
  headers[name] = values.length === 1 || name === 'content-length' ? first : values;
}

/** Returns the headers that Connection lists, in lower case. HTTP/2 has no Connection header. */
function listedHeaders(incoming: Incoming): ReadonlySet<string> | undefined {
  if (incoming.connection.protocol === 'h2') return undefined;
  const connection = incoming.header('connection');
  if (connection === undefined) return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
