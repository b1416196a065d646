/**
 * Keys and ranges. A key is `<scope>/<segment>/.../<segment>`; the first segment is an opaque scope, so that a store can hold several
 * worlds side by side. Invariant: no code unit of a key is at or above U+D800, so the order of JavaScript strings, the order of UTF-8
 * bytes and every driver's order are one order.
 */
import { utf8Length } from '../base/utf8.ts';
import { StorageError } from './errors.ts';

/** Longest key in UTF-8 bytes: LMDB's pages hold 1,978, and drivers may add a few of their own. */
export const MAX_KEY_BYTES = 1500;

/** All keys that start with `prefix` (the empty prefix means all keys). `start`, if given, is the first key to consider, inclusive. */
export interface KeyRange {
  readonly prefix: string;
  readonly start?: string;
}

/** A key that JavaScript could order differently from its UTF-8 bytes, or that a driver could not store. */
function isUnfit(key: string): boolean {
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit === 0 || unit >= 0xd800) return true;
  }
  return key.length === 0;
}

/** Throws StorageError(InvalidArgument) unless the key can be stored. */
export function checkKey(key: string): void {
  // A UTF-16 unit is at most 3 bytes of UTF-8; only long keys need counting.
  if (
    key.length > MAX_KEY_BYTES ||
    isUnfit(key) ||
    (key.length * 3 > MAX_KEY_BYTES && utf8Length(key) > MAX_KEY_BYTES)
  ) {
    throw new StorageError(
      'InvalidArgument',
      `key ${JSON.stringify(key.slice(0, 80))} is empty, longer than ${MAX_KEY_BYTES} bytes, or not escaped`,
    );
  }
}

/** Makes any string fit for a key segment; reversible. `%` and `/` are escaped too, so escaped segments never collide. */
export function escapeSegment(segment: string): string {
  return /[%/\u0000\ud800-\uffff]/.test(segment)
    ? segment.replace(/[%/\u0000\ud800-\uffff]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : segment;
}

export function unescapeSegment(escaped: string): string {
  return escaped.includes('%')
    ? escaped.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : escaped;
}

/** The smallest string above every key with this prefix; undefined for the empty prefix, which has no end. */
export function prefixEnd(prefix: string): string | undefined {
  return prefix === ''
    ? undefined
    : `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}
