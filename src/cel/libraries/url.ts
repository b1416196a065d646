/** The library `kubernetes.urls`: URLs. */

import {
  formatUrl,
  type GoUrl,
  type ParsedUrl,
  parseRequestUri,
  parseUrl,
  queryParameters,
  splitHost,
} from '../../apimachinery/go/go-url.ts';
import type { Library } from '../library.ts';
import { NativeList, NativeMap } from '../runtime/native-values.ts';
import { BOOL, listOf, mapOf, type OpaqueType, opaqueType, STRING } from '../types.ts';
import { CelError, CelOpaque, type Value } from '../values.ts';
import { NOMINAL, ONE_WALK_SAME_SIZE } from './costs.ts';
import { declare, member, overload } from './declare.ts';

export const URL_TYPE: OpaqueType = opaqueType('kubernetes.URL');

export class CelUrl extends CelOpaque {
  readonly type: OpaqueType = URL_TYPE;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelUrl)) throw new CelError('no such overload');
    return formatUrl(this.url) === formatUrl(other.url);
  }
}

function toUrl(text: Value): CelUrl {
  // Only absolute URLs are valid. `parseRequestUri` checks this, but parses a fragment as a part of the path.
  const strict = parseRequestUri(text as string);
  const parsed: ParsedUrl = strict.ok ? parseUrl(text as string) : strict;
  if (!parsed.ok) throw new CelError(`URL parse error during conversion from string: ${parsed.message}`);
  return new CelUrl(parsed.value);
}

function getQuery(url: GoUrl): NativeMap {
  const parameters = queryParameters(url.query);
  return new NativeMap(Array.from(parameters, ([key, values]) => [key, new NativeList(values)] as const));
}

function part(id: string, get: (url: GoUrl) => string): ReturnType<typeof member> {
  return member(id, [URL_TYPE], STRING, (url) => get((url as CelUrl).url), NOMINAL);
}

export const URL_LIBRARY: Library = {
  name: 'kubernetes.urls',
  functions: [
    declare('url', overload('string_to_url', [STRING], URL_TYPE, toUrl, ONE_WALK_SAME_SIZE)),
    declare(
      'isURL',
      overload('is_url_string', [STRING], BOOL, (text) => parseRequestUri(text as string).ok),
    ),
    declare(
      'getScheme',
      part('url_get_scheme', (url) => url.scheme),
    ),
    declare(
      'getHost',
      part('url_get_host', (url) => url.host),
    ),
    declare(
      'getHostname',
      part('url_get_hostname', (url) => splitHost(url.host).name),
    ),
    declare(
      'getPort',
      part('url_get_port', (url) => splitHost(url.host).port),
    ),
    declare(
      'getEscapedPath',
      part('url_get_escaped_path', (url) => url.escapedPath),
    ),
    declare(
      'getQuery',
      member(
        'url_get_query',
        [URL_TYPE],
        mapOf(STRING, listOf(STRING)),
        (url) => getQuery((url as CelUrl).url),
        NOMINAL,
      ),
    ),
  ],
};
