/**
 * Splits the bytes of a list into the bytes of its items, in one pass and in linear time. The items are views of the
 * given bytes.
 */
import { concatBytes, encodeUtf8 } from '../base/bytes.ts';

export type SplitList =
  | {
      readonly ok: true;
      /** The bytes of the list with an empty `items`. */
      readonly envelope: Uint8Array;
      readonly items: readonly Uint8Array[];
    }
  | { readonly ok: false; readonly message: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const ITEMS = encodeUtf8('"items"');

/**
 * Splits a list at the field `items` of the outermost object. Malformed items are not detected here, but by their
 * decoder.
 */
export function splitList(bytes: Uint8Array): SplitList {
  const start = itemsAt(bytes);
  if (start < 0) return { ok: true, envelope: bytes, items: [] };
  const items: Uint8Array[] = [];
  let depth = 0;
  let from = -1;
  for (let i = start + 1; i < bytes.byteLength; i++) {
    const c = bytes[i] as number;
    if (c === QUOTE) i = stringEnd(bytes, i);
    else if (c === OPEN_OBJECT || c === OPEN_LIST) {
      if (depth++ === 0) from = i;
    } else if (c === CLOSE_OBJECT || (c === CLOSE_LIST && depth > 0)) {
      if (--depth < 0) break;
      if (depth === 0) items.push(bytes.subarray(from, i + 1));
    } else if (c === CLOSE_LIST) {
      return { ok: true, envelope: concatBytes([bytes.subarray(0, start + 1), bytes.subarray(i)]), items };
    } else if (depth === 0 && !isBetween(c)) return { ok: false, message: 'an item is not an object' };
  }
  return { ok: false, message: 'its items do not end' };
}

/** The offset of the `[` of the field `items`, or -1 if there is none or it is null. */
function itemsAt(bytes: Uint8Array): number {
  let depth = 0;
  for (let i = 0; i < bytes.byteLength; i++) {
    const c = bytes[i] as number;
    if (c === QUOTE) {
      const end = stringEnd(bytes, i);
      if (depth === 1 && isItems(bytes, i, end)) {
        const value = valueAt(bytes, end + 1);
        if (value >= 0) return bytes[value] === OPEN_LIST ? value : -1;
      }
      i = end;
    } else if (c === OPEN_OBJECT || c === OPEN_LIST) depth++;
    else if (c === CLOSE_OBJECT || c === CLOSE_LIST) depth--;
  }
  return -1;
}

function isItems(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start + 1 !== ITEMS.byteLength) return false;
  for (let i = 0; i < ITEMS.byteLength; i++) if (bytes[start + i] !== ITEMS[i]) return false;
  return true;
}

/** The offset of the value after a key, or -1 if no colon follows. */
function valueAt(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  if (bytes[at] !== 0x3a) return -1;
  at++;
  while (isSpace(bytes[at])) at++;
  return at;
}

/** The offset of the closing quote of the string that opens at `open`. */
function stringEnd(bytes: Uint8Array, open: number): number {
  let at = open + 1;
  while (at < bytes.byteLength && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isBetween(c: number): boolean {
  return c === 0x2c || isSpace(c);
}

function isSpace(c: number | undefined): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}
