/**
 * Keys and ranges. A key is `<scope>/<segment>/.../<segment>`. The first segment is an opaque scope, so that one store
 * can hold the data of several servers.
 * Invariant: no code unit of a key is at or above U+D800. So JavaScript strings, UTF-8 bytes and every driver have the
 * same order.
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

/** Whether JavaScript could order the key differently from its UTF-8 bytes, or a driver could not store it. */
function isInvalid(key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit === 0 || unit >= 0xd800) return true;
  }
  return key.length === 0;
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

/** Escapes any string for use as a key segment. `%` and `/` are escaped, too, so two segments never collide. */
export function escapeSegment(segment: string): string {
  return /[%/\u0000\ud800-\uffff]/.test(segment)
    ? segment.replace(/[%/\u0000\ud800-\uffff]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : segment;
}

/** The inverse of `escapeSegment`. */
export function unescapeSegment(escaped: string): string {
  return escaped.includes('%')
    ? escaped.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : escaped;
}

/** The smallest string above all keys with this prefix; undefined for the empty prefix. */
export function prefixEnd(prefix: string): string | undefined {
  return prefix === ''
    ? undefined
    : `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}

/** The prefixes of the ranges in key order, without those that another prefix contains: no key is covered twice. */
export function disjointPrefixes(ranges: readonly KeyRange[]): string[] {
  const prefixes: string[] = [];
  for (const prefix of ranges.map((range) => range.prefix).sort()) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }
  return prefixes;
}
