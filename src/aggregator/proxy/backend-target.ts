/**
 * The request target that a server behind the proxy gets. As in the reference, path and query are written again from
 * their decoded form, so that server reads the same path and the same parameters that were authorized here.
 */
import { encodeFor } from '../../apimachinery/go/go-url-escape.ts';
import type { QueryParams } from '../../apimachinery/meta/query.ts';
import type { RequestInfo } from '../../server/http/request-info.ts';

/** Paths and queries whose form would not change. Parameters of a query may be in another order than in the reference. */
const PLAIN_TARGET = /^\/[A-Za-z0-9\-_.~$&+,/:;=@]*(?:\?[A-Za-z0-9\-_.~=&]*)?$/;

/** `target` is the one of the client. */
export function backendTarget(target: string, { path, params }: RequestInfo): string {
  if (PLAIN_TARGET.test(target)) return target;
  const query = formatQuery(params);
  const encoded = encodeFor(path, 'path');
  return query === '' ? encoded : `${encoded}?${query}`;
}

/** Returns the path without empty and dot segments, for X-Forwarded-Uri. A slash at the end stays. */
export function forwardedUri(target: string): string {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (!UNCLEAN.test(path)) return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const clean = `/${segments.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

const UNCLEAN = /\/(?:\/|\.\.?(?:\/|$))/;

/** Sorted by name, as Go's url.Values.Encode. */
function formatQuery(params: QueryParams): string {
  const pairs: string[] = [];
  for (const name of [...params.keys()].sort())
    for (const value of params.get(name) ?? []) pairs.push(`${encodeParam(name)}=${encodeParam(value)}`);
  return pairs.join('&');
}

function encodeParam(text: string): string {
  return encodeFor(text, 'query').replaceAll('%20', '+');
}
