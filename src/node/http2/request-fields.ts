/**
 * Validates and looks up the header fields of a request (RFC 9113, section 8). Fields are names and values in
 * alternation.
 */

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** -1 if none was declared. */
  readonly contentLength: number;
}

/** Connection-specific fields of HTTP/1.1, which make an HTTP/2 message malformed (RFC 9113, 8.2.2). */
export const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
const COLON = 58;
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A path, or `*` for OPTIONS. */
const TARGET = /^(\/[^\0-\x20\x7f]*|\*)$/;

/** Reads the pseudo-header fields and the content length; undefined if the request is malformed. */
export function readRequestLine(fields: readonly string[]): RequestLine | undefined {
  let method: string | undefined;
  let target: string | undefined;
  let scheme: string | undefined;
  let authority: string | undefined;
  let contentLength = -1;
  let regular = false;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    if (name.charCodeAt(0) !== COLON) {
      regular = true;
      if (name === 'content-length') {
        if (!/^[0-9]{1,15}$/.test(value) || (contentLength >= 0 && contentLength !== Number(value))) return undefined;
        contentLength = Number(value);
      } else if (CONNECTION_FIELDS.has(name) || (name === 'te' && value !== 'trailers')) return undefined;
      continue;
    }
    if (regular) return undefined;
    if (name === ':method' && method === undefined) method = value;
    else if (name === ':path' && target === undefined) target = value;
    else if (name === ':scheme' && scheme === undefined) scheme = value;
    else if (name === ':authority' && authority === undefined) authority = value;
    else return undefined;
  }
  if (!method || !target || !scheme || !METHOD.test(method) || !TARGET.test(target)) return undefined;
  return { method, target, contentLength };
}

/** Returns whether the fields are valid as trailers: trailers have no pseudo-header fields. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i]!.charCodeAt(0) === COLON) return false;
  return true;
}

/** Returns the value of a field; several values of one name are joined. */
export function fieldOf(fields: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i] !== name) continue;
    const value = fields[i + 1]!;
    found = found === undefined ? value : `${found}${name === 'cookie' ? ';' : ','} ${value}`;
  }
  return found;
}

export function fieldValues(fields: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) values.push(fields[i + 1]!);
  return values;
}

/** Above this number of fields, a Set finds repeated names faster than a comparison of all. */
const FEW_FIELDS = 50;

/** Returns the names of the regular fields without repetition. */
export function fieldNames(fields: readonly string[]): readonly string[] {
  if (fields.length > 2 * FEW_FIELDS) return [...new Set(fields.filter((name, i) => i % 2 === 0 && !isPseudo(name)))];
  const names: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!;
    if (!isPseudo(name) && !names.includes(name)) names.push(name);
  }
  return names;
}

function isPseudo(name: string): boolean {
  return name.charCodeAt(0) === COLON;
}
