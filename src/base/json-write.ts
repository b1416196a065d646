/**
 * Writes JSON as the reference serves it. Invariant: every bigint is printed with all its digits, and reading the text again gives an equal
 * value (numbers that are not finite, which no reader makes, become null).
 */
import { encodeUtf8 } from './bytes.ts';
import { BugError } from './errors.ts';
import { MAX_JSON_DEPTH } from './json-read.ts';
import type { JsonArray, JsonObject, JsonValue } from './json-value.ts';

export interface JsonWriteOptions {
  /**
   * Prints `<`, `>`, `&`, U+2028 and U+2029 as escapes (`\u003c`), as Go's encoder does for everything the reference serves. Default true,
   * because stored bytes are sent as they are and should equal the reference's; it costs one search of the text.
   */
  readonly escapeHtml?: boolean;
  /** Spaces per level; 0, the default, prints one line. The reference prints 2 when a request asks for pretty output. */
  readonly indent?: number;
}

const HTML = /[<>&\u2028\u2029]/;
const HTML_ALL = /[<>&\u2028\u2029]/g;

/**
 * The text of a value; keys in the order given, fields that are undefined left out, no newline at the end.
 * Throws BugError for a value nested more than twice as deep as any reader allows: it holds itself.
 */
export function writeJson(value: JsonValue, options: JsonWriteOptions = {}): string {
  const text = tryNative(value, options.indent ?? 0) ?? writeSlowly(value, options.indent ?? 0);
  if (options.escapeHtml === false || !HTML.test(text)) return text;
  // These characters occur only inside strings, so escaping the whole text is safe.
  return text.replace(HTML_ALL, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same text as UTF-8, in memory of its own. */
export function writeJsonBytes(value: JsonValue, options: JsonWriteOptions = {}): Uint8Array {
  return encodeUtf8(writeJson(value, options));
}

function tryNative(value: JsonValue, indent: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // A bigint (TypeError), nesting beyond the call stack (RangeError) or a cycle: the slow writer knows each of them.
    return undefined;
  }
}

interface Frame {
  readonly source: JsonArray | JsonObject;
  /** The fields that are defined; undefined for an array. */
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
