/**
 * The JSON reader: integers within int64 are exact, duplicate keys are reported by path, depth is bounded, errors have
 * an offset. Ordinary text is scanned once and read by `JSON.parse`; text with something that `JSON.parse` would lose
 * is read by `parseJson`. Invariant: where both may read a text, both give the same value.
 */
import { decodeUtf8, encodeUtf8 } from './bytes.ts';
import { parseJson } from './json-parse.ts';
import type { JsonPath, JsonReadResult } from './json-result.ts';
import { PLAIN_DEPTH, scanJson } from './json-scan.ts';
import type { JsonValue } from './json-value.ts';

/** The limit of Go's JSON scanner. */
export const MAX_JSON_DEPTH = 10_000;

/** How many duplicate keys are reported. The reference drops the rest too. */
export const MAX_DUPLICATES = 100;

export interface JsonReadOptions {
  /**
   * `ignore`: the last of equal keys wins. `report`: it wins too, and its path is listed in `duplicates`. Default
   * `ignore`.
   */
  readonly duplicates?: 'ignore' | 'report';
  /** The deepest nesting of arrays and objects. Default MAX_JSON_DEPTH. */
  readonly maxDepth?: number;
}

const NONE: readonly JsonPath[] = [];

/**
 * Reads one JSON value that fills the input, white space aside. Never throws. An integer literal within int64 becomes a
 * number if it is a safe integer, else a bigint. Every other literal becomes a double; one beyond a double is an error.
 * Malformed UTF-8 inside strings and lone surrogates become U+FFFD. A byte order mark is an error.
 */
export function readJson(input: Uint8Array | string, options: JsonReadOptions = {}): JsonReadResult {
  const maxDepth = options.maxDepth ?? MAX_JSON_DEPTH;
  const bytes = typeof input === 'string' ? encodeUtf8(input) : input;
  const scan = scanJson(bytes);
  const text = typeof input === 'string' ? input : decodeText(input);
  if (scan.plain && maxDepth >= PLAIN_DEPTH) {
    const value = tryNative(text);
    if (value !== undefined && (options.duplicates !== 'report' || countKeys(value) === scan.keys))
      return { ok: true, value, duplicates: NONE };
  }
  const parseOptions = { maxDepth, maxDuplicates: options.duplicates === 'report' ? MAX_DUPLICATES : 0 };
  const result = parseJson(text, parseOptions);
  // Errors count and quote bytes. The meaning of bytes beyond ASCII does not affect whether a text is well formed.
  return result.ok ? result : parseJson(toLatin1(bytes), parseOptions);
}

/**
 * Numbers and escapes that JSON.parse may change: see `scanJson`. Also finds them in strings, where they are harmless.
 */
const UNUSUAL = /[:,[]\s*(?:-0|-?\d{16}|-?\d[\d.]*[eE])|\\u[dD]/;

/**
 * Reads an object or array by JSON.parse if a native search shows that it loses nothing. Returns undefined otherwise,
 * and for malformed text: `readJson` then reads it. A returned value is that of `readJson`, but its depth is not
 * bounded. Faster than `readJson` in a program that has just started, because none of its code has to be compiled.
 */
export function readPlainJson(bytes: Uint8Array): JsonValue | undefined {
  return bytes[0] === 0x7b || bytes[0] === 0x5b ? readPlainText(decodeUtf8(bytes)) : undefined;
}

/** As `readPlainJson`, for text that was decoded. */
export function readPlainText(text: string): JsonValue | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  return UNUSUAL.test(text) || text.includes('\ufffd') ? undefined : tryNative(text);
}

/** Returns a text with one character for each byte. */
function toLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 4096) parts.push(String.fromCharCode(...bytes.subarray(i, i + 4096)));
  return parts.join('');
}

function tryNative(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // parseJson reads the same text and reports the error with its offset.
    return undefined;
  }
}

/** Recursive: only for text that the scan found no deeper than PLAIN_DEPTH. */
function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item === 'object' && item !== null) count += countKeys(item);
    }
    return count;
  }
  for (const key in value) {
    count++;
    const item = value[key];
    if (typeof item === 'object' && item !== null) count += countKeys(item);
  }
  return count;
}

function decodeText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  return text.includes('\ufffd') ? decodeLikeGo(bytes) : text;
}

/**
 * Decodes UTF-8 as Go does: each byte outside a well-formed sequence becomes one U+FFFD. TextDecoder merges some of
 * them.
 */
export function decodeLikeGo(bytes: Uint8Array): string {
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < bytes.length; ) {
    const size = sequenceLength(bytes, i);
    if (size > 0) {
      i += size;
      continue;
    }
    if (from < i) parts.push(decodeUtf8(bytes.subarray(from, i)));
    parts.push('\ufffd');
    from = ++i;
  }
  if (from < bytes.length) parts.push(decodeUtf8(bytes.subarray(from)));
  return parts.join('');
}

/** Returns the length of the well-formed sequence at `at`, or 0 (Unicode, table 3-7). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < size; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return size;
}
