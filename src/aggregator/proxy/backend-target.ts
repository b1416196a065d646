/**
 * Makes the request target for the server behind the proxy. As in kube-aggregator, path and query are encoded again
 * from their decoded form, so that the server reads the same path and parameters that were authorized here.
 */
import { encodeFor } from '../../apimachinery/go/go-url-escape.ts';
import type { QueryParams } from '../../apimachinery/meta/query.ts';
import type { RequestInfo } from '../../server/http/request-info.ts';

/**
 * Matches targets that need not be encoded again. Their parameters keep the client's order, whereas kube-aggregator
 * sorts them.
 */
const PLAIN_TARGET = /^\/[A-Za-z0-9\-_.~$&+,/:;=@]*(?:\?[A-Za-z0-9\-_.~=&]*)?$/;

/** Returns the target to send. `target` is the one that the client sent. */
export function backendTarget(target: string, { path, params }: RequestInfo): string {
  if (PLAIN_TARGET.test(target)) return target;
  const query = formatQuery(params);
  const encoded = encodeFor(path, 'path');
  return query === '' ? encoded : `${encoded}?${query}`;
}

/** Returns the path without empty and dot segments, for X-Forwarded-Uri. A trailing slash is kept. */
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

/** Formats parameters sorted by name, like Go's url.Values.Encode. */
function formatQuery(params: QueryParams): string {
  const pairs: string[] = [];
  for (const name of [...params.keys()].sort())
    for (const value of params.get(name) ?? []) pairs.push(`${encodeParam(name)}=${encodeParam(value)}`);
  return pairs.join('&');
}

function encodeParam(text: string): string {
  return encodeFor(text, 'query').replaceAll('%20', '+');
}
