/**
 * The parser of Accept and Content-Type headers, equal to the reference's (munnerz/goautoneg and Go's mime). Parsed
 * headers are cached, because clients send the same few headers repeatedly.
 */

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly params: ReadonlyMap<string, string>;
}

const NO_PARAMS: ReadonlyMap<string, string> = new Map();
/** The largest number of cached headers. A full cache is cleared. */
const MAX_CACHED = 256;
const MAX_CACHED_LENGTH = 1024;
const acceptCache: Map<string, readonly AcceptClause[]> = new Map();

/** The clauses of an Accept header, best first. Malformed clauses are left out. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const known = acceptCache.get(header);
  if (known !== undefined) return known;
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const clause = parseClause(part);
    if (clause !== undefined) clauses.push(clause);
  }
  const sorted = sortClauses(clauses);
  if (header.length <= MAX_CACHED_LENGTH) {
    if (acceptCache.size >= MAX_CACHED) acceptCache.clear();
    acceptCache.set(header, sorted);
  }
  return sorted;
}

function parseClause(part: string): AcceptClause | undefined {
  const [media, ...paramTexts] = trimSpaces(part).split(';') as [string, ...string[]];
  const slash = media.indexOf('/');
  const type = trimSpaces(slash < 0 ? media : media.slice(0, slash));
  let subtype = slash < 0 ? '' : media.slice(slash + 1);
  if (subtype === '') {
    if (type !== '*') return undefined;
    subtype = '*';
  } else {
    const second = subtype.indexOf('/');
    if (second >= 0 && second < subtype.length - 1) return undefined;
    subtype = trimSpaces(second < 0 ? subtype : subtype.slice(0, second));
  }
  if (paramTexts.length === 0) return { type, subtype, quality: 1, params: NO_PARAMS };
  let quality = 1;
  const params = new Map<string, string>();
  for (const text of paramTexts) {
    const equals = text.indexOf('=');
    let value = equals < 0 ? '' : text.slice(equals + 1);
    if (value === '') continue;
    const second = value.indexOf('=');
    if (second >= 0 && second < value.length - 1) continue;
    if (second >= 0) value = value.slice(0, second);
    const name = trimSpaces(text.slice(0, equals));
    if (name === 'q') quality = parseQuality(value);
    else params.set(name, trimSpaces(value));
  }
  return { type, subtype, quality, params };
}

const DECIMAL = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;

/** Parses a quality as a float32. A text that is not a number counts as 0. */
function parseQuality(text: string): number {
  return DECIMAL.test(text) ? Math.fround(Number(text)) : 0;
}

/** goautoneg trims spaces but no other white space. */
function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === ' ') from++;
  while (to > from && text[to - 1] === ' ') to--;
  return text.slice(from, to);
}

function precedes(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true;
  if (a.type !== '*' && b.type === '*') return true;
  return a.subtype !== '*' && b.subtype === '*';
}

/**
 * `precedes` is not a consistent order: a low quality may precede a wildcard of a high one. So the result depends on
 * the algorithm; Go sorts up to 12 elements by insertion. Longer headers, which no known client sends, are sorted by
 * quality and then by wildcards.
 */
function sortClauses(clauses: AcceptClause[]): readonly AcceptClause[] {
  if (clauses.length > 12)
    return clauses.sort((a, b) => b.quality - a.quality || Number(a.type === '*') - Number(b.type === '*'));
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && precedes(clauses[j] as AcceptClause, clauses[j - 1] as AcceptClause); j--) {
      const swapped = clauses[j] as AcceptClause;
      clauses[j] = clauses[j - 1] as AcceptClause;
      clauses[j - 1] = swapped;
    }
  }
  return clauses;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}(?:/${TOKEN})?$`);
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})[ \\t]*=[ \\t]*(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*`, 'y');

/** The media type of a Content-Type header in lower case, or undefined if the header is malformed. */
export function parseContentType(header: string): string | undefined {
  const semicolon = header.indexOf(';');
  const media = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
  if (!MEDIA_TYPE.test(media)) return undefined;
  if (semicolon < 0) return media;
  const names = new Set<string>();
  for (let at = semicolon; at < header.length; ) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(header);
    if (match === null) return header.slice(at).trim() === ';' ? media : undefined;
    const name = (match[1] as string).toLowerCase();
    if (names.has(name)) return undefined;
    names.add(name);
    at = PARAMETER.lastIndex;
  }
  return media;
}
