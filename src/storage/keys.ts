/**
 * Keys and ranges. A key is `<scope>/<segment>/.../<segment>`. The first segment is an opaque scope, so that one store
 * can hold the data of several servers.
 * Invariants: no code unit of a key is at or above U+D800, so a comparison of JavaScript strings, a comparison of UTF-8
 * bytes and every driver order keys alike. Escaping a path (`escapePath`) does not change the order.
 */
import { utf8Length } from '../base/utf8.ts';
import { StorageError } from './errors.ts';

/** The longest key in UTF-8 bytes. LMDB's limit is 1,978, and drivers may add a few bytes. */
export const MAX_KEY_BYTES = 1500;

/**
 * The keys that begin with `prefix`; the empty prefix means all keys. `start` is the first key to consider, inclusive.
 */
export interface KeyRange {
  readonly prefix: string;
  readonly start?: string;
}

const ESCAPE = /\u0001[\u0001-\u0003]|\ud7ff([0-9a-f]{6})/g;
const ESCAPE_AT = new RegExp(ESCAPE.source, 'y');

/**
 * Whether JavaScript could order the key differently from its UTF-8 bytes, a driver could not store the key, or
 * `escapeSegment` could not have made it.
 */
function isInvalid(key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit > 1 && unit < 0xd7ff) continue;
    ESCAPE_AT.lastIndex = i;
    const [found, digits] = ESCAPE_AT.exec(key) ?? [];
    if (found === undefined || (digits !== undefined && !isEscapedPoint(Number.parseInt(digits, 16)))) return true;
    i += found.length - 1;
  }
  return key.length === 0;
}

function isEscapedPoint(point: number): boolean {
  return point === 0xd7ff || (point >= 0xe000 && point <= 0x10ffff);
}

/** Throws StorageError(InvalidArgument) unless the key can be stored. */
export function checkKey(key: string): void {
  // A UTF-16 code unit takes at most 3 bytes of UTF-8, so only long keys are counted.
  if (
    key.length > MAX_KEY_BYTES ||
    isInvalid(key) ||
    (key.length * 3 > MAX_KEY_BYTES && utf8Length(key) > MAX_KEY_BYTES)
  ) {
    throw new StorageError(
      'InvalidArgument',
      `key ${JSON.stringify(key.slice(0, 80))} is empty, longer than ${MAX_KEY_BYTES} bytes, or not escaped`,
    );
  }
}

/**
 * Escapes any string for use as a key segment, reversibly:
 *
 *     U+0000               U+0001 U+0001
 *     U+0001               U+0001 U+0002
 *     `/`                  U+0001 U+0003
 *     U+D7FF and above     U+D7FF and the code point in six hexadecimal digits
 *
 * Strings without `/` keep the order of their UTF-8 bytes. A lone surrogate becomes U+FFFD, as in UTF-8.
 */
export function escapeSegment(segment: string): string {
  return /[\u0000\u0001/\ud7ff-\uffff]/.test(segment)
    ? segment.replace(/[\u0000\u0001/\ud7ff-\u{10ffff}]/gu, escaped)
    : segment;
}

/** Escapes the segments of a path: all of `escapeSegment` except for the slashes. */
export function escapePath(path: string): string {
  return /[\u0000\u0001\ud7ff-\uffff]/.test(path) ? path.replace(/[\u0000\u0001\ud7ff-\u{10ffff}]/gu, escaped) : path;
}

function escaped(char: string): string {
  if (char === '\0') return '\u0001\u0001';
  if (char === '\u0001') return '\u0001\u0002';
  if (char === '/') return ESCAPED_SLASH;
  const point = char.codePointAt(0) as number;
  const isLone = point >= 0xd800 && point < 0xe000;
  return `\ud7ff${(isLone ? 0xfffd : point).toString(16).padStart(6, '0')}`;
}

const ESCAPED_SLASH = '\u0001\u0003';

/** The inverse of `escapeSegment` and of `escapePath`. */
export function unescapeSegment(segment: string): string {
  return /[\u0001\ud7ff]/.test(segment)
    ? segment.replace(ESCAPE, (found, point: string | undefined) => {
        if (point !== undefined) return String.fromCodePoint(Number.parseInt(point, 16));
        return found === ESCAPED_SLASH ? '/' : String.fromCharCode(found.charCodeAt(1) - 1);
      })
    : segment;
}

/** Orders paths, such as keys of etcd, by their UTF-8 bytes. JavaScript would compare UTF-16 units. */
export function comparePaths(a: string, b: string): number {
  const [x, y] = [escapePath(a), escapePath(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Whether a segment of the path contains a slash, which only its escaped form can show. */
export function hasEscapedSlash(path: string): boolean {
  return path.includes('\u0001') && path.match(ESCAPE)?.includes(ESCAPED_SLASH) === true;
}

/** The smallest string above all keys with this prefix; undefined for the empty prefix. */
export function prefixEnd(prefix: string): string | undefined {
  return prefix === ''
    ? undefined
    : `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}

/**
 * The prefixes of the ranges, in key order. A prefix that begins with another prefix is left out, so no key is covered
 * twice.
 */
export function disjointPrefixes(ranges: readonly KeyRange[]): string[] {
  const prefixes: string[] = [];
  for (const prefix of ranges.map((range) => range.prefix).sort()) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }
  return prefixes;
}
