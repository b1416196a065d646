/**
 * The parser of query strings (`a=b&c=d`), without a URL object. As in the reference, a malformed pair (bad escape,
 * semicolon) is dropped, and more than 10,000 pairs count as none.
 */
import { decodeUtf8 } from '../../base/bytes.ts';

/** Every value of each parameter, in order. */
export type QueryParams = ReadonlyMap<string, readonly string[]>;

export const NO_PARAMS: QueryParams = new Map();

const MAX_PAIRS = 10_000;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;

/** Parses the part of a URL after `?`. */
export function parseQuery(query: string): QueryParams {
  if (query === '') return NO_PARAMS;
  const params = new Map<string, string[]>();
  let pairs = 0;
  for (let start = 0; start <= query.length; ) {
    if (++pairs > MAX_PAIRS) return NO_PARAMS;
    let end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    addPair(params, query.slice(start, end));
    start = end + 1;
  }
  return params;
}

/** The first value of a parameter; undefined if it is absent. */
export function firstParam(params: QueryParams, name: string): string | undefined {
  return params.get(name)?.[0];
}

function addPair(params: Map<string, string[]>, pair: string): void {
  if (pair === '' || pair.includes(';')) return;
  const equals = pair.indexOf('=');
  const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals));
  const value = equals < 0 ? '' : decodeComponent(pair.slice(equals + 1));
  if (name === undefined || value === undefined) return;
  const values = params.get(name);
  if (values === undefined) params.set(name, [value]);
  else values.push(value);
}

/**
 * Decodes an escaped component; `+` is a space. Undefined if an escape is malformed. Malformed UTF-8 becomes U+FFFD.
 */
export function decodeComponent(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  if (BAD_ESCAPE.test(spaced)) return undefined;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    const bytes = new Uint8Array(run.length / 3);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(run.slice(i * 3 + 1, i * 3 + 3), 16);
    return decodeUtf8(bytes);
  });
}
