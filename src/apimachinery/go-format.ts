/**
 * Printing as Go's `fmt` and `encoding/json` print, because the reference's messages contain `%q`, `%v` and compact
 * JSON, and clients match them. Invariant: every function is total and takes linear time. A lone surrogate counts as
 * U+FFFD, which the reference's decoder would have made of it.
 */
import { decodeUtf8Strict } from '../base/bytes.ts';
import { getField, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { compareUtf8 } from '../base/utf8.ts';

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

const PLAIN_ASCII = /^[ !#-[\]-~]*$/;

/** A text as `%q` prints it: in double quotes, with everything but printable characters escaped. */
export function quote(text: string): string {
  if (PLAIN_ASCII.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += quoteChar(char);
  return `${out}"`;
}

/** Bytes as `%q` prints them: as text, except for bytes that are not UTF-8. */
export function quoteBytes(bytes: Uint8Array): string {
  let out = '"';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const char = decodeUtf8Strict(bytes.subarray(at, at + size));
    out += char === undefined ? `\\x${hex(first, 2)}` : quoteChar(char);
    at += char === undefined ? 1 : size;
  }
  return `${out}"`;
}

function quoteChar(char: string): string {
  const short = SHORT_ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) as number;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code < 0x7f) return char;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (isPrintable(char)) return char;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

/** A list of texts as `%q` prints it: `["a" "b"]`. */
export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/**
 * Error messages as `utilerrors.Aggregate` prints them: one as it is, several distinct ones in brackets, '' for none.
 */
export function formatAggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length < 2 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** Whether `%q` prints the character unescaped: letters, marks, numbers, punctuation, symbols and the space. */
export function isPrintable(char: string): boolean {
  // V8 takes a millisecond to make the pattern, which few texts need.
  return (char >= ' ' && char <= '~') || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

/**
 * A number as `%v` prints it. An integer that int64 holds prints as digits; anything else is a double in its shortest
 * form, with an exponent of at least two digits below 1e-4 and from 1e6 on.
 */
export function formatNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return value.toString();
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return plainDecimal(mantissa, exponent);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** The fixed notation of a number that is not an integer. */
function plainDecimal(mantissa: string, exponent: number): string {
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace('-', '').replace('.', '');
  const sign = negative ? '-' : '';
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

const JSON_UNSAFE = /[<>&\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text as a JSON string, with `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function formatJsonString(text: string): string {
  return JSON.stringify(
    text.replace(JSON_UNSAFE, (char) => (char >= '\ud800' && char <= '\udfff' ? '\ufffd' : char)),
  ).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
}

/**
 * Compact JSON with HTML characters escaped. Keys are printed in byte order, as those of a Go map. With `asDeclared`
 * they keep their order, for a value whose keys the caller has put in the order of the type's declaration.
 */
export function formatJson(value: JsonValue, asDeclared = false): string {
  switch (typeof value) {
    case 'string':
      return formatJsonString(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map((item) => formatJson(item, asDeclared)).join(',')}]`;
      return formatJsonObject(value, asDeclared);
  }
}

function formatJsonObject(object: JsonObject, asDeclared: boolean): string {
  const keys = Object.keys(object);
  if (!asDeclared) keys.sort(compareUtf8);
  const fields = keys.map(
    (key) => `${formatJsonString(key)}:${formatJson(getField(object, key) as JsonValue, asDeclared)}`,
  );
  return `{${fields.join(',')}}`;
}
