/**
 * Reads JSON as the reference does: integers within int64 exactly, duplicate keys known by path, bounded depth, errors with an offset.
 * Invariant: ordinary text is read by `JSON.parse` after one scan; everything that `JSON.parse` would lose goes to `parseJson`, and both
 * give the same value for text that either may read.
 */
import { decodeUtf8, encodeUtf8 } from './bytes.ts';
import { parseJson } from './json-parse.ts';
import type { JsonPath, JsonReadResult } from './json-result.ts';
import { PLAIN_DEPTH, scanJson } from './json-scan.ts';
import type { JsonValue } from './json-value.ts';

/** The bound of the reference's JSON scanner. */
export const MAX_JSON_DEPTH = 10_000;

/** How many duplicate keys are reported at most, as in the reference; the rest is dropped. */
export const MAX_DUPLICATES = 100;

export interface JsonReadOptions {
  /** `ignore` (the default): the last of equal keys wins silently. `report`: it wins too, and the path is in `duplicates`. */
  readonly duplicates?: 'ignore' | 'report';
  /** Arrays and objects inside each other; default MAX_JSON_DEPTH. */
  readonly maxDepth?: number;
}

const NONE: readonly JsonPath[] = [];

/**
 * Reads one JSON value that fills the whole input, white space aside. Numbers: an integer literal within int64 is a number if it is a safe
 * integer and a bigint otherwise; every other literal is a double; one that overflows a double is an error. Malformed UTF-8 inside strings
 * and lone surrogates become U+FFFD; a byte order mark is an error. Never throws.
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
  // Errors count and name bytes. What is well formed does not depend on what the bytes beyond ASCII mean.
  return result.ok ? result : parseJson(toLatin1(bytes), parseOptions);
}

/** One character for each byte. */
function toLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 4096) parts.push(String.fromCharCode(...bytes.subarray(i, i + 4096)));
  return parts.join('');
}

function tryNative(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Not swallowed: parseJson reads the same text and finds the error with its offset.
    return undefined;
  }
}

/** Recursive: only for values from text that a scan found not deeper than PLAIN_DEPTH. */
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

/** UTF-8 as Go reads it: each byte that does not belong to a well-formed sequence is one U+FFFD of its own; TextDecoder joins some. */
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

/** Length of the well-formed sequence at `at`; 0 if there is none (Unicode, table 3-7). */
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
