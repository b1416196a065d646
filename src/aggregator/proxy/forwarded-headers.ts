/**
 * The headers of a request that is passed on to the server of a group-version.
 *
 * Invariants: the server gets no credential of the client, and no client header that it could take for one of this
 * server. All headers that this server sets are set after the client's, so a client cannot remove one by listing it in
 * Connection.
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
  // It would set the prototype of the object that holds the headers.
  '__proto__',
  'authorization',
  'audit-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-uri',
]);

/** The headers of a request that is not an upgrade. X-Forwarded-Host is missing: the address is not known yet. */
export function forwardedHeaders(request: ServerRequest, target: string): MutableHeaders {
  const headers = commonHeaders(request);
  headers['x-forwarded-uri'] = forwardedUri(target);
  headers['x-forwarded-proto'] = 'https';
  return headers;
}

/**
 * The headers of an upgrade request. The reference sets none of X-Forwarded-Host, -Proto and -Uri here, and passes
 * those of the client on.
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

/** The headers that Connection names, in lower case. HTTP/2 has no such header. */
function listedHeaders(incoming: Incoming): ReadonlySet<string> | undefined {
  if (incoming.connection.protocol === 'h2') return undefined;
  const connection = incoming.header('connection');
  if (connection === undefined) return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
