/**
 * Shares equal `fieldsV1` values between the objects of a store. The objects of a collection mostly have the same fields
 * from the same managers. The `fieldsV1` of a small object takes more than a kilobyte of memory, and a third of the time
 * for parsing the object. Equal values are therefore found in the JSON text, and each is parsed once.
 * Invariants: a shared value equals the one in the text, and is frozen. The rest of the text is parsed as without
 * sharing.
 */
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { readPlainText } from '../base/json-read.ts';
import { isJsonObject, type JsonValue } from '../base/json-value.ts';
import { deepFreeze } from './deep-freeze.ts';

/**
 * The text before a value, as Go prints an entry of `managedFields`. It cannot occur inside a string, where its quotes
 * would be escaped.
 */
const BEFORE = ',"fieldsType":"FieldsV1","fieldsV1":';
/** The most values that are kept for comparison. */
const MAX_KEPT = 16;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

interface Kept {
  readonly text: string;
  readonly value: JsonValue;
}

/** A text in which each `fieldsV1` value was replaced by its index, as a string. */
interface CutText {
  readonly text: string;
  readonly values: readonly JsonValue[];
}

export class FieldsSharing {
  /** The kept values, the most recently used first. */
  readonly #kept: Kept[] = [];

  /**
   * Parses a JSON text like `readPlainText`. `objectsOf` returns the objects of the value that may have managedFields.
   */
  read(text: string, objectsOf: (value: JsonValue) => readonly JsonValue[]): JsonValue | undefined {
    const cut = this.#cut(text);
    if (cut === undefined) return readPlainText(text);
    const value = readPlainText(cut.text);
    if (value === undefined) return undefined;
    let restored = 0;
    for (const object of objectsOf(value)) restored += restoreFields(object, cut.values);
    // An object has an entry of managedFields at another place. This is rare, so the text is simply parsed again.
    return restored === cut.values.length ? value : readPlainText(text);
  }

  /** Replaces the values in the text. Returns undefined if there are none. */
  #cut(text: string): CutText | undefined {
    let at = text.indexOf(BEFORE);
    if (at < 0) return undefined;
    const parts: string[] = [];
    const values: JsonValue[] = [];
    let from = 0;
    for (; at >= 0; at = text.indexOf(BEFORE, at)) {
      at += BEFORE.length;
      const kept = this.#find(text, at);
      if (kept === undefined) continue;
      parts.push(text.slice(from, at), `"${values.length}"`);
      values.push(kept.value);
      at += kept.text.length;
      from = at;
    }
    if (values.length === 0) return undefined;
    parts.push(text.slice(from));
    return { text: parts.join(''), values };
  }

  /**
   * Returns the kept value at the offset, and keeps a new one. Returns undefined if no `fieldsV1` value begins there.
   */
  #find(text: string, at: number): Kept | undefined {
    const index = this.#kept.findIndex((kept) => text.startsWith(kept.text, at));
    if (index === 0) return this.#kept[0];
    const found = index > 0 ? (this.#kept.splice(index, 1)[0] as Kept) : readFields(text, at);
    if (found === undefined) return undefined;
    if (this.#kept.length >= MAX_KEPT) this.#kept.pop();
    this.#kept.unshift(found);
    return found;
  }
}

function readFields(text: string, at: number): Kept | undefined {
  const end = objectEnd(text, at);
  if (end < 0) return undefined;
  // A slice would keep the whole text in memory.
  const fields = decodeUtf8(encodeUtf8(text.slice(at, end)));
  const value = readPlainText(fields);
  return value === undefined ? undefined : { text: fields, value: deepFreeze(value) };
}

/** Returns the offset after the object that begins at `at`; -1 if none begins there or it does not end. */
function objectEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== OPEN_OBJECT) return -1;
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = stringEnd(text, i);
    else if (c === OPEN_OBJECT) depth++;
    else if (c === CLOSE_OBJECT && --depth === 0) return i + 1;
  }
  return -1;
}

/** Returns the offset of the closing quote of the string that begins at `open`. */
function stringEnd(text: string, open: number): number {
  let at = open + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Replaces the placeholders in the managedFields of an object. Returns how many there were. */
function restoreFields(object: JsonValue, values: readonly JsonValue[]): number {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  if (!Array.isArray(entries)) return 0;
  let restored = 0;
  for (const entry of entries) {
    if (!isJsonObject(entry) || typeof entry['fieldsV1'] !== 'string') continue;
    const value = values[Number(entry['fieldsV1'])];
    if (value === undefined) continue;
    (entry as { fieldsV1: JsonValue }).fieldsV1 = value;
    restored++;
  }
  return restored;
}

/** Returns the objects of a list. */
export function itemsOf(list: JsonValue): readonly JsonValue[] {
  const items = isJsonObject(list) ? list['items'] : undefined;
  return Array.isArray(items) ? items : [];
}

/** Returns the objects of an array of watch events. */
export function objectsOfEvents(events: JsonValue): readonly JsonValue[] {
  return Array.isArray(events) ? events.map((event) => (isJsonObject(event) ? (event['object'] ?? null) : null)) : [];
}
