/**
 * The parsing and formatting of URLs, like Go's `net/url`, with its messages. The path and the fragment are kept in the
 * form in which they were written, if that is valid.
 */
import { quote } from '../go-format.ts';
import { parseAddress } from './go-netip.ts';
import { encodeFor, isEncoded, reencodeFor, UrlFault, unescapeFor } from './go-url-escape.ts';

export interface GoUrl {
  readonly scheme: string;
  /** The opaque part of `scheme:opaque`, encoded. */
  readonly opaque: string;
  /** Decoded; undefined if there is none. */
  readonly user: { readonly name: string; readonly password: string | undefined } | undefined;
  /** `host` or `host:port`, decoded. */
  readonly host: string;
  /** Encoded; as it was written, if that is valid. */
  readonly escapedPath: string;
  /** Encoded, without `?`. */
  readonly query: string;
  /** True if the query is empty but `?` was written. */
  readonly emptyQuery: boolean;
  /** Encoded, without `#`. */
  readonly escapedFragment: string;
  /** True for `scheme:/path`, without `//`. */
  readonly omitHost: boolean;
}

export type ParsedUrl = { readonly ok: true; readonly value: GoUrl } | { readonly ok: false; readonly message: string };

/** `url.Parse`. */
export function parseUrl(text: string): ParsedUrl {
  const hash = text.indexOf('#');
  const main = hash < 0 ? text : text.slice(0, hash);
  const parsed = attempt(main, () => parse(main, false));
  if (!parsed.ok || hash < 0 || hash === text.length - 1) return parsed;
  const fragment = text.slice(hash + 1);
  return attempt(text, () => ({ ...parsed.value, escapedFragment: normalize(fragment, 'fragment') }));
}

/** `url.ParseRequestURI`: an absolute URI or an absolute path. A `#` does not start a fragment. */
export function parseRequestUri(text: string): ParsedUrl {
  return attempt(text, () => parse(text, true));
}

function attempt(text: string, parser: () => GoUrl): ParsedUrl {
  try {
    return { ok: true, value: parser() };
  } catch (caught) {
    if (caught instanceof UrlFault) return { ok: false, message: `parse ${quote(text)}: ${caught.message}` };
    throw caught;
  }
}

const EMPTY: GoUrl = {
  scheme: '',
  opaque: '',
  user: undefined,
  host: '',
  escapedPath: '',
  query: '',
  emptyQuery: false,
  escapedFragment: '',
  omitHost: false,
};

function parse(text: string, viaRequest: boolean): GoUrl {
  if (/[\0-\x1f\x7f]/.test(text)) throw new UrlFault('net/url: invalid control character in URL');
  if (text === '' && viaRequest) throw new UrlFault('empty url');
  if (text === '*') return { ...EMPTY, escapedPath: '*' };
  if (text.startsWith(':')) throw new UrlFault('missing protocol scheme');
  const found = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  const scheme = (found?.[1] ?? '').toLowerCase();
  const { rest, query, emptyQuery } = cutQuery(text.slice(found?.[0].length ?? 0));
  const url: GoUrl = { ...EMPTY, scheme, query, emptyQuery };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: rest };
    if (viaRequest) throw new UrlFault('invalid URI for request');
    if ((rest.split('/', 1)[0] as string).includes(':'))
      throw new UrlFault('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!viaRequest && !rest.startsWith('///')));
  if (!hasAuthority)
    return { ...url, omitHost: scheme !== '' && rest.startsWith('/'), escapedPath: normalize(rest, 'path') };
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const { user, host } = parseAuthority(scheme, authority);
  return { ...url, user, host, escapedPath: normalize(slash < 0 ? '' : rest.slice(slash), 'path') };
}

function cutQuery(text: string): { rest: string; query: string; emptyQuery: boolean } {
  const mark = text.indexOf('?');
  if (mark < 0) return { rest: text, query: '', emptyQuery: false };
  const query = text.slice(mark + 1);
  return { rest: text.slice(0, mark), query, emptyQuery: query === '' };
}

/** The encoded form: the written one if it is valid, otherwise the canonical one. */
function normalize(text: string, part: 'path' | 'fragment'): string {
  const decoded = unescapeFor(text, part);
  if (isEncoded(text, part)) return text;
  return part === 'path' && decoded === '*' ? '*' : reencodeFor(text, part);
}

function parseAuthority(scheme: string, authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) throw new UrlFault('net/url: invalid userinfo');
  const colon = info.indexOf(':');
  const name = unescapeFor(colon < 0 ? info : info.slice(0, colon), 'user');
  return { user: { name, password: colon < 0 ? undefined : unescapeFor(info.slice(colon + 1), 'user') }, host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new UrlFault('invalid IP-literal');
  if (bracket === 0) return parseLiteral(host);
  const first = host.indexOf(':');
  if (first >= 0) {
    // Go allows several colons in hosts of schemes other than http and https, for databases.
    const colon = scheme === 'http' || scheme === 'https' ? first : host.lastIndexOf(':');
    checkPort(host.slice(colon));
  }
  return unescapeFor(host, 'host');
}

function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlFault("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inside = host.slice(1, close);
  const zone = inside.indexOf('%25');
  const name =
    zone < 0
      ? unescapeFor(inside, 'host')
      : unescapeFor(inside.slice(0, zone), 'host') + unescapeFor(inside.slice(zone), 'zone');
  const address = parseAddress(name);
  if (!address.ok) throw new UrlFault(`invalid host: ${address.message}`);
  if (address.value.bytes.length === 4) throw new UrlFault('invalid IP-literal');
  return `[${name}]${port}`;
}

function isPort(text: string): boolean {
  return /^(?::[0-9]*)?$/.test(text);
}

function checkPort(text: string): void {
  if (!isPort(text)) throw new UrlFault(`invalid port ${quote(text)} after host`);
}

/** Splits a host into name, without brackets, and port; '' if there is no port. */
export function splitHost(host: string): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const isLiteral = name.startsWith('[') && name.endsWith(']');
  return { name: isLiteral ? name.slice(1, -1) : name, port: hasPort ? host.slice(colon + 1) : '' };
}

/** Go's limit. A query with more parameters counts as empty. */
const PARAMETERS_MAX = 10_000;

/** The decoded parameters in the order of their first occurrence. Malformed parameters are left out. */
export function queryParameters(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  const parts = query.split('&');
  if (parts.length > PARAMETERS_MAX) return parameters;
  for (const part of parts) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    const key = tryUnescape(equals < 0 ? part : part.slice(0, equals));
    const value = tryUnescape(equals < 0 ? '' : part.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const values = parameters.get(key);
    if (values === undefined) parameters.set(key, [value]);
    else values.push(value);
  }
  return parameters;
}

function tryUnescape(text: string): string | undefined {
  try {
    return unescapeFor(text, 'query');
  } catch (caught) {
    if (caught instanceof UrlFault) return undefined;
    throw caught;
  }
}

/** `URL.String`. */
export function formatUrl(url: GoUrl): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque !== '') text += url.opaque;
  else {
    const path = url.escapedPath;
    const { user, host } = url;
    const named = host !== '' || user !== undefined;
    if ((url.scheme !== '' || named) && (!url.omitHost || named)) {
      if (named || path !== '') text += '//';
      if (user !== undefined) text += `${formatUser(user)}@`;
      text += encodeFor(host, 'host');
    }
    if (path !== '' && !path.startsWith('/') && host !== '') text += '/';
    if (text === '' && (path.split('/', 1)[0] as string).includes(':')) text += './';
    text += path;
  }
  if (url.emptyQuery || url.query !== '') text += `?${url.query}`;
  return url.escapedFragment === '' ? text : `${text}#${url.escapedFragment}`;
}

function formatUser(user: NonNullable<GoUrl['user']>): string {
  const name = encodeFor(user.name, 'user');
  return user.password === undefined ? name : `${name}:${encodeFor(user.password, 'user')}`;
}
