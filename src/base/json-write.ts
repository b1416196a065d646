/**
 * The JSON writer, which prints what the reference prints. Invariant: every bigint is printed in full, and reading the
 * text again gives an equal value. A number that is not finite becomes null; no reader returns one.
 */
import { encodeUtf8 } from './bytes.ts';
import { BugError } from './errors.ts';
import { MAX_JSON_DEPTH } from './json-read.ts';
import type { JsonArray, JsonObject, JsonValue } from './json-value.ts';

export interface JsonWriteOptions {
  /**
   * Escapes `<`, `>`, `&`, U+2028 and U+2029 (`\u003c`), as Go's encoder does for everything the reference serves.
   * Stored bytes are sent unchanged and must equal the reference's, so the default is true. It costs one search of the
   * text.
   */
  readonly escapeHtml?: boolean;
  /** Spaces per level. The reference prints 2 for pretty output. Default 0: one line. */
  readonly indent?: number;
}

const HTML_ALL = /[<>&\u2028\u2029]/g;

/**
 * Returns the text of a value. Keys keep their order, undefined fields are left out, no newline is appended. Throws
 * BugError for a value nested more than twice as deep as any reader allows: such a value contains itself.
 */
export function writeJson(value: JsonValue, options: JsonWriteOptions = {}): string {
  const text = tryNative(value, options.indent ?? 0) ?? writeSlowly(value, options.indent ?? 0);
  if (options.escapeHtml === false || !hasHtml(text)) return text;
  // These characters occur only inside strings, so the whole text can be searched.
  return text.replace(HTML_ALL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Native searches for single characters are ten times as fast as a regular expression. */
function hasHtml(text: string): boolean {
  return (
    text.includes('<') || text.includes('>') || text.includes('&') || text.includes('\u2028') || text.includes('\u2029')
  );
}

/** As `writeJson`. Returns UTF-8 bytes. */
export function writeJsonBytes(value: JsonValue, options: JsonWriteOptions = {}): Uint8Array {
  return encodeUtf8(writeJson(value, options));
}

function tryNative(value: JsonValue, indent: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // A bigint (TypeError), nesting beyond the call stack (RangeError) or a cycle: writeSlowly handles each of them.
    return undefined;
  }
}

interface Frame {
  readonly source: JsonArray | JsonObject;
  /** The keys of the defined fields; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  next: number;
}

function writeSlowly(root: JsonValue, indent: number): string {
  const parts: string[] = [];
  const frames: Frame[] = [];
  const colon = indent === 0 ? ':' : ': ';
  const line = (depth: number): string => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`);
  const begin = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) {
      parts.push(typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'null'));
      return;
    }
    if (frames.length >= 2 * MAX_JSON_DEPTH) throw new BugError('a JSON value is nested without end');
    const frame = Array.isArray(value) ? arrayFrame(value) : objectFrame(value);
    if (frame.size === 0) parts.push(frame.keys === undefined ? '[]' : '{}');
    else {
      parts.push(frame.keys === undefined ? '[' : '{');
      frames.push(frame);
    }
  };
  begin(root);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.next === frame.size) {
      frames.pop();
      parts.push(line(frames.length), frame.keys === undefined ? ']' : '}');
      continue;
    }
    parts.push(frame.next === 0 ? '' : ',', line(frames.length));
    const at = frame.next++;
    if (frame.keys === undefined) begin((frame.source as JsonArray)[at] as JsonValue);
    else {
      const key = frame.keys[at] as string;
      parts.push(JSON.stringify(key), colon);
      begin((frame.source as JsonObject)[key] as JsonValue);
    }
  }
  return parts.join('');
}

function arrayFrame(source: JsonArray): Frame {
  return { source, keys: undefined, size: source.length, next: 0 };
}

function objectFrame(source: JsonObject): Frame {
  const keys = Object.keys(source).filter((key) => source[key] !== undefined);
  return { source, keys, size: keys.length, next: 0 };
}
