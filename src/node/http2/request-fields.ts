/** What the header fields of a request must be (RFC 9113, section 8), and how they are looked up. */

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** -1: none was declared. */
  readonly contentLength: number;
}

/** They belong to HTTP/1.1 connections. */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
const COLON = 58;
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A path, or what OPTIONS asks about all of them. */
const TARGET = /^(\/[^\0-\x20\x7f]*|\*)$/;

/** Undefined: malformed. */
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

/** Fields behind a body: none of them may be a pseudo-header. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i]!.charCodeAt(0) === COLON) return false;
  return true;
}

/** Several values of one name are joined. */
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

/** Names of regular fields, each once. */
export function fieldNames(fields: readonly string[]): string[] {
  const names = new Set<string>();
  for (let i = 0; i < fields.length; i += 2) if (fields[i]!.charCodeAt(0) !== COLON) names.add(fields[i]!);
  return [...names];
}
