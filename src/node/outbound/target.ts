/** The address, the certificate name and the headers of an outbound request. */
import type { AnswerHeaders } from '../../server/http/exchange.ts';
import type { OutboundTarget } from '../../server/http/outbound.ts';

/** A server that connections are made to. */
export interface Origin {
  readonly host: string;
  readonly port: number;
  /** The name or IP address that the certificate must be valid for: the host of the URL. */
  readonly servername: string;
  /** The result of `keyOf`, if it is known. */
  readonly key?: string;
}

/** Returns a text that differs for different origins. */
export function keyOf({ host, port, servername }: Origin): string {
  return `${host}|${port}|${servername}`;
}

export interface ParsedTarget extends Origin {
  readonly path: string;
  /** The value of the Host header. */
  readonly authority: string;
}

export function originOf(url: URL): Origin {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  return { host, port, servername: host };
}

export function parseTarget({ url, address }: OutboundTarget): ParsedTarget {
  const target = new URL(url);
  return {
    ...originOf(target),
    ...address,
    path: target.pathname + target.search,
    authority: target.host,
  };
}

/** Headers of one connection, which are not passed on (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the headers of a response in lower case, without connection headers. `raw` are names and values in turn. */
export function responseHeaders(raw: readonly string[]): AnswerHeaders {
  const headers: Record<string, string | string[]> = {};
  let dropped = CONNECTION_HEADERS;
  for (let i = 0; i < raw.length; i += 2) {
    if (raw[i]!.toLowerCase() !== 'connection') continue;
    const named = new Set(dropped);
    dropped = named;
    for (const name of raw[i + 1]!.split(',')) named.add(name.trim().toLowerCase());
  }
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (name.startsWith(':') || dropped.has(name)) continue;
    const value = raw[i + 1]!;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}
