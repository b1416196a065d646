/**
 * The scanner and the decoder of string and bytes literals. The decoders `unquoteString` and `unquoteBytes` take only
 * literals that `scanQuoted` accepted, so that all escapes are complete.
 */
import { encodeUtf8 } from '../../base/bytes.ts';

export type QuotedScan = { readonly ok: true; readonly end: number } | { readonly ok: false; readonly failsAt: number };

const HEX = /[0-9a-fA-F]/;
const OCTAL = /[0-7]/;
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['?', '?'],
  ['`', '`'],
]);

/** The number of hexadecimal digits after the letter of an escape. */
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
]);

/** The end of the escape whose backslash is at `from`, or the position of the character that is wrong. */
function scanEscape(source: string, from: number): QuotedScan {
  const letter = source.charAt(from + 1);
  if (SIMPLE_ESCAPES.has(letter)) return { ok: true, end: from + 2 };
  const octal = letter >= '0' && letter <= '3';
  const digits = octal ? 2 : HEX_DIGITS.get(letter);
  if (digits === undefined) return { ok: false, failsAt: from + 1 };
  const digit = octal ? OCTAL : HEX;
  for (let index = from + 2; index < from + 2 + digits; index++) {
    if (!digit.test(source.charAt(index))) return { ok: false, failsAt: index };
  }
  return { ok: true, end: from + 2 + digits };
}

function scanUntil(source: string, from: number, quote: string, raw: boolean): QuotedScan {
  const long = quote.length === 3;
  let index = from + quote.length;
  while (index < source.length) {
    if (source.startsWith(quote, index)) return { ok: true, end: index + quote.length };
    const char = source.charAt(index);
    if (!long && (char === '\n' || char === '\r')) return { ok: false, failsAt: index };
    if (char === '\\' && !raw) {
      const escaped = scanEscape(source, index);
      if (!escaped.ok) return escaped;
      index = escaped.end;
    } else index++;
  }
  return { ok: false, failsAt: source.length };
}

/**
 * Scans a literal whose first quote is at `from`. Three quotes without closing ones are an empty literal and a quote.
 */
export function scanQuoted(source: string, from: number, raw: boolean): QuotedScan {
  const quote = source.charAt(from);
  if (source.startsWith(quote.repeat(3), from)) {
    const scan = scanUntil(source, from, quote.repeat(3), raw);
    return scan.ok ? scan : { ok: true, end: from + 2 };
  }
  return scanUntil(source, from, quote, raw);
}

/** The text between the quotes with line ends as `\n`, and whether the literal is raw. */
function content(text: string): { readonly text: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(text);
  const body = raw ? text.slice(1) : text;
  const quotes = body.length >= 6 && (body.startsWith('"""') || body.startsWith("'''")) ? 3 : 1;
  return { text: body.slice(quotes, body.length - quotes).replace(/\r\n?/g, '\n'), raw };
}

export type Unquoted<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

interface Escape {
  readonly letter: string;
  /** The code point or byte that it stands for. */
  readonly code: number;
  readonly end: number;
}

function readEscape(text: string, from: number): Escape {
  const letter = text.charAt(from + 1);
  const simple = SIMPLE_ESCAPES.get(letter);
  if (simple !== undefined) return { letter, code: simple.charCodeAt(0), end: from + 2 };
  const digits = HEX_DIGITS.get(letter);
  return digits === undefined
    ? { letter, code: Number.parseInt(text.slice(from + 1, from + 4), 8), end: from + 4 }
    : { letter, code: Number.parseInt(text.slice(from + 2, from + 2 + digits), 16), end: from + 2 + digits };
}

/** The value of a string literal, given with its quotes. Fails for an escape that is not a Unicode character. */
export function unquoteString(literal: string): Unquoted<string> {
  const { text, raw } = content(literal);
  if (raw || !text.includes('\\')) return { ok: true, value: text };
  let value = '';
  let index = 0;
  while (index < text.length) {
    const next = text.indexOf('\\', index);
    if (next < 0) return { ok: true, value: value + text.slice(index) };
    const escaped = readEscape(text, next);
    if (escaped.code > 0x10ffff || (escaped.code >= 0xd800 && escaped.code <= 0xdfff)) {
      return { ok: false, message: 'invalid unicode code point' };
    }
    value += text.slice(index, next) + String.fromCodePoint(escaped.code);
    index = escaped.end;
  }
  return { ok: true, value };
}

/** The value of a bytes literal, given with its quotes and without its `b`. Fails for `\u` and `\U`. */
export function unquoteBytes(literal: string): Unquoted<Uint8Array> {
  const { text, raw } = content(literal);
  if (raw || !text.includes('\\')) return { ok: true, value: encodeUtf8(text) };
  const bytes: number[] = [];
  let index = 0;
  while (index < text.length) {
    const next = text.indexOf('\\', index);
    for (const byte of encodeUtf8(text.slice(index, next < 0 ? text.length : next))) bytes.push(byte);
    if (next < 0) break;
    const escaped = readEscape(text, next);
    if (escaped.letter === 'u' || escaped.letter === 'U') return { ok: false, message: 'unable to unescape string' };
    bytes.push(escaped.code);
    index = escaped.end;
  }
  return { ok: true, value: Uint8Array.from(bytes) };
}
