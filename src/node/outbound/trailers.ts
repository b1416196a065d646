/** The trailer fields of a response. */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { responseHeaders } from './target.ts';

/** Fields that frame or route a message, which a trailer must not set (RFC 9110, 6.5.1). */
const FORBIDDEN = ['content-length', 'host', 'trailer'];

/** Returns the fields that are passed on; undefined if there are none. `raw` are names and values in turn. */
export function readTrailers(raw: readonly string[]): HttpHeaders | undefined {
  if (raw.length === 0) return undefined;
  const trailers = responseHeaders(raw) as Record<string, string | readonly string[]>;
  for (const name of FORBIDDEN) delete trailers[name];
  for (const _ in trailers) return trailers;
  return undefined;
}
