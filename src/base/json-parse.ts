/**
 * The JSON parser that reports paths and keeps 64-bit integers. It uses an explicit stack, so depth is not limited by
 * the call stack. It is several times slower than `JSON.parse`; `readJson` calls it only where `JSON.parse` would lose
 * information. Invariant: it accepts exactly what `JSON.parse` accepts, except for depth and for numbers beyond a
 * double. Its error messages are the reference's.
 */
import type { JsonReadError, JsonReadResult } from './json-result.ts';
import { type JsonArray, type JsonObject, type JsonValue, setField } from './json-value.ts';

export interface JsonParseOptions {
  readonly maxDepth: number;
  /** How many duplicate keys are reported. 0 disables the check. */
  readonly maxDuplicates: number;
  /**
   * Called for each key in the order of the text, before its value is read. `frames` is the path of the object that
   * holds the key.
   */
  readonly onKey?: (key: string, frames: readonly JsonFrame[]) => void;
}

/** An open array or object. Its current index or key is one step of the path. */
export interface JsonFrame {
  readonly array: JsonArray | undefined;
  readonly object: JsonObject | undefined;
  /** The key whose value is being read. Only for objects. */
  key: string;
}

const MAX_INT64 = 9223372036854775807n;
const MIN_INT64 = -9223372036854775808n;

class SyntaxFailure {
  readonly error: JsonReadError;
  constructor(error: JsonReadError) {
    this.error = error;
  }
}

/**
 * Parses one value that fills the text. Never throws. `readJson` describes the meaning of numbers and strings. The
 * offset of an error is an index into the text, and messages take each character for a byte, so callers that report
 * errors pass the bytes as Latin-1.
 */
export function parseJson(text: string, options: JsonParseOptions): JsonReadResult {
  try {
    return new JsonParser(text, options).parse();
  } catch (caught) {
    if (caught instanceof SyntaxFailure) return { ok: false, error: caught.error };
    throw caught;
  }
}

/** Returns the path of a key of the innermost open frame. */
export function formatJsonPath(frames: readonly JsonFrame[], key: string): string {
  let path = '';
  for (let i = 0; i < frames.length - 1; i++) {
    const frame = frames[i] as JsonFrame;
    if (frame.array !== undefined) path += `[${frame.array.length}]`;
    else path += path === '' && i === 0 ? frame.key : `.${frame.key}`;
  }
  return frames.length > 1 ? `${path}.${key}` : key;
}

class JsonParser {
  readonly #text: string;
  readonly #options: JsonParseOptions;
  readonly #frames: JsonFrame[] = [];
  readonly #duplicates: Set<string> = new Set();
  #at = 0;
  #numberError: JsonReadError | undefined;

  constructor(text: string, options: JsonParseOptions) {
    this.#text = text;
    this.#options = options;
  }

  parse(): JsonReadResult {
    const value = this.#document();
    this.#space();
    if (this.#at < this.#text.length) this.#unexpected('after top-level value');
    // The reference reports a number out of range only if the whole text is well formed.
    if (this.#numberError !== undefined) return { ok: false, error: this.#numberError };
    return { ok: true, value, duplicates: [...this.#duplicates] };
  }

  #document(): JsonValue {
    const frames = this.#frames;
    for (;;) {
      this.#space();
      let value: JsonValue | undefined = this.#valueOrOpen();
      // A complete value goes into its container. A complete container is a value of the next outer one.
      while (value !== undefined) {
        const frame = frames.at(-1);
        if (frame === undefined) return value;
        if (frame.array !== undefined) {
          frame.array.push(value);
          value = this.#afterElement();
        } else {
          setField(frame.object as JsonObject, frame.key, value);
          value = this.#afterPair(frame);
        }
      }
    }
  }

  /** Returns a complete value, or undefined after opening a container that is not empty. */
  #valueOrOpen(): JsonValue | undefined {
    const c = this.#text.charCodeAt(this.#at);
    switch (c) {
      case 0x7b: {
        this.#open({ array: undefined, object: {}, key: '' });
        this.#space();
        if (this.#text.charCodeAt(this.#at) === 0x7d) return this.#close();
        this.#key(this.#frames.at(-1) as JsonFrame);
        return undefined;
      }
      case 0x5b: {
        this.#open({ array: [], object: undefined, key: '' });
        this.#space();
        return this.#text.charCodeAt(this.#at) === 0x5d ? this.#close() : undefined;
      }
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#literal('true', true);
      case 0x66:
        return this.#literal('false', false);
      case 0x6e:
        return this.#literal('null', null);
      default:
        if (c === 0x2d || (c >= 0x30 && c <= 0x39)) return this.#number();
        return this.#unexpected('looking for beginning of value');
    }
  }

  #open(frame: JsonFrame): void {
    if (this.#frames.length >= this.#options.maxDepth) this.#unexpected('exceeded max depth');
    this.#frames.push(frame);
    this.#at++;
  }

  #close(): JsonValue {
    this.#at++;
    const frame = this.#frames.pop() as JsonFrame;
    return (frame.array ?? frame.object) as JsonValue;
  }

  #afterElement(): JsonValue | undefined {
    this.#space();
    const c = this.#text.charCodeAt(this.#at);
    if (c === 0x5d) return this.#close();
    if (c !== 0x2c) this.#unexpected('after array element');
    this.#at++;
    return undefined;
  }

  #afterPair(frame: JsonFrame): JsonValue | undefined {
    this.#space();
    const c = this.#text.charCodeAt(this.#at);
    if (c === 0x7d) return this.#close();
    if (c !== 0x2c) this.#unexpected('after object key:value pair');
    this.#at++;
    this.#space();
    this.#key(frame);
    return undefined;
  }

  #key(frame: JsonFrame): void {
    if (this.#text.charCodeAt(this.#at) !== 0x22) this.#unexpected('looking for beginning of object key string');
    const key = this.#string();
    this.#options.onKey?.(key, this.#frames);
    if (this.#duplicates.size < this.#options.maxDuplicates && Object.hasOwn(frame.object as JsonObject, key))
      this.#duplicates.add(formatJsonPath(this.#frames, key));
    frame.key = key;
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) this.#unexpected('after object key');
    this.#at++;
  }

  #space(): void {
    for (;;) {
      const c = this.#text.charCodeAt(this.#at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.#at++;
    }
  }

  #literal<T extends boolean | null>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#text[this.#at] !== word[i]) this.#unexpected(`in literal ${word} (expecting '${word[i]}')`, true);
    }
    this.#at++;
    return value;
  }

  #string(): string {
    const text = this.#text;
    let from = this.#at + 1;
    let result = '';
    for (let i = from; ; i++) {
      const c = text.charCodeAt(i);
      if (c === 0x22) {
        this.#at = i + 1;
        return result + text.slice(from, i);
      }
      if (c === 0x5c) {
        result += text.slice(from, i);
        this.#at = i + 1;
        result += this.#escape();
        from = this.#at;
        i = from - 1;
      } else if (!(c >= 0x20)) {
        this.#at = i;
        this.#unexpected('in string literal');
      }
    }
  }

  /** Reads an escape sequence after its backslash. A lone surrogate becomes U+FFFD. */
  #escape(): string {
    const c = this.#text[this.#at];
    const simple = c === undefined ? undefined : ESCAPES.get(c);
    if (simple !== undefined) {
      this.#at++;
      return simple;
    }
    if (c !== 'u') this.#unexpected('in string escape code', true);
    this.#at++;
    const unit = this.#hex4();
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    if (unit < 0xdc00 && this.#text.startsWith('\\u', this.#at)) {
      const back = this.#at;
      this.#at += 2;
      const low = this.#hex4();
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low);
      this.#at = back;
    }
    return '\ufffd';
  }

  #hex4(): number {
    let value = 0;
    for (let i = 0; i < 4; i++, this.#at++) {
      const c = this.#text.charCodeAt(this.#at);
      const lower = c | 0x20;
      if (c >= 0x30 && c <= 0x39) value = value * 16 + (c - 0x30);
      else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + (lower - 0x57);
      else this.#unexpected('in \\u hexadecimal character escape', true);
    }
    return value;
  }

  #number(): number | bigint {
    const text = this.#text;
    const start = this.#at;
    let integer = true;
    if (text.charCodeAt(this.#at) === 0x2d) this.#at++;
    if (text.charCodeAt(this.#at) === 0x30) this.#at++;
    else this.#digits('in numeric literal');
    if (text.charCodeAt(this.#at) === 0x2e) {
      integer = false;
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if ((text.charCodeAt(this.#at) | 0x20) === 0x65) {
      integer = false;
      this.#at++;
      const sign = text.charCodeAt(this.#at);
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
    const literal = text.slice(start, this.#at);
    const value = integer ? integerOf(literal) : Number(literal);
    if (typeof value === 'number' && !Number.isFinite(value))
      this.#numberError ??= {
        message: `json: cannot unmarshal number ${literal} into Go value of type float64`,
        offset: start,
      };
    return value;
  }

  /** Reads one or more digits. */
  #digits(where: string): void {
    const start = this.#at;
    for (;;) {
      const c = this.#text.charCodeAt(this.#at);
      if (!(c >= 0x30 && c <= 0x39)) break;
      this.#at++;
    }
    if (this.#at === start) this.#unexpected(where, true);
  }

  /** `unfinished` is true inside a token, where the reference takes the end of the text for a space. */
  #unexpected(where: string, unfinished = false): never {
    const offset = this.#at;
    const c = offset < this.#text.length ? this.#text.charCodeAt(offset) : unfinished ? 0x20 : undefined;
    if (c === undefined) throw new SyntaxFailure({ message: 'unexpected end of JSON input', offset });
    throw new SyntaxFailure({ message: `invalid character ${quoteByte(c)} ${where}`, offset });
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/**
 * Returns the value of an integer literal: a number if it is a safe integer, a bigint within int64, else the nearest
 * double.
 */
export function integerOf(literal: string): number | bigint {
  const value = Number(literal);
  // `+ 0` turns -0 into 0: the literal `-0` is the integer 0.
  if (Number.isSafeInteger(value)) return value + 0;
  // int64 has at most 19 digits. BigInt of a megabyte of digits would take quadratic time.
  if (literal.length > 20) return value;
  const exact = BigInt(literal);
  return exact >= MIN_INT64 && exact <= MAX_INT64 ? exact : value;
}

/** A byte as the reference quotes it in errors: as the code point of the same number. */
function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  if (byte === 0x5c) return "'\\\\'";
  const named = NAMED_CONTROLS.get(byte);
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if ((byte > 0x7f && byte <= 0xa0) || byte === 0xad) return `'\\u00${byte.toString(16)}'`;
  return `'${String.fromCharCode(byte)}'`;
}

const NAMED_CONTROLS: ReadonlyMap<number, string> = new Map([
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
]);
