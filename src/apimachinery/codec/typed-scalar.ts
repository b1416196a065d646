/**
 * The checks of scalars during typed decoding, with the messages of Go's decoder. Callers accept null before calling
 * them.
 */
import { decodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { jsonKind } from '../go-json.ts';
import { parseDuration } from '../scalars/duration.ts';
import { parseQuantity, QUANTITY_FORMAT_ERROR } from '../scalars/quantity-parse.ts';
import { parseMicroTime, parseTime } from '../scalars/time.ts';
import type { ScalarType } from '../type-view.ts';

/**
 * `what` is a JSON value of the wrong type (`string`, `number 1.5`); the caller adds the place and, unless `type` says
 * otherwise, the type of the field. `message` is complete. A `final` problem ends decoding: later values are not
 * checked, and earlier problems are dropped.
 */
export type TypedProblem =
  | { readonly what: string; readonly type?: string; readonly final: boolean }
  | { readonly message: string; readonly final: boolean };

/** Returns the problem of a value that is not null. Linear in its size. */
export function checkScalar(scalar: ScalarType, value: JsonValue): TypedProblem | undefined {
  switch (scalar) {
    case 'string':
      return typeof value === 'string' ? undefined : wrong(value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrong(value);
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return checkInteger(scalar, value);
    case 'float':
    case 'double':
      return checkFloat(scalar, value);
    case 'bytes':
      return checkBytes(value);
    case 'quantity':
      return checkQuantity(value);
    case 'int-or-string':
      if (typeof value === 'string') return undefined;
      return endingWith(checkInteger('int32', value), 'int32');
    case 'time':
      return checkText(value, parseTime);
    case 'micro-time':
      return checkText(value, parseMicroTime);
    case 'duration':
      return checkText(value, parseDuration);
  }
}

function wrong(value: JsonValue): TypedProblem {
  return { what: jsonKind(value), final: false };
}

/** Turns a problem into one that ends decoding, found while reading `type`. */
function endingWith(problem: TypedProblem | undefined, type: string): TypedProblem | undefined {
  return problem === undefined || 'message' in problem ? problem : { what: problem.what, type, final: true };
}

const RANGES = {
  uint8: [0n, 255n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
} as const;

function checkInteger(type: keyof typeof RANGES, value: JsonValue): TypedProblem | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return wrong(value);
  const [least, most] = RANGES[type];
  if ((typeof value === 'bigint' || Number.isInteger(value)) && value >= least && value <= most) return undefined;
  return { what: `number ${writeJson(value)}`, final: false };
}

function checkFloat(type: 'float' | 'double', value: JsonValue): TypedProblem | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return wrong(value);
  const held = type === 'float' ? Math.fround(Number(value)) : Number(value);
  return Number.isFinite(held) ? undefined : { what: `number ${writeJson(value)}`, final: false };
}

/** Accepts base64, and a list of small numbers, which Go accepts too. */
function checkBytes(value: JsonValue): TypedProblem | undefined {
  if (Array.isArray(value)) {
    for (const item of value) {
      const problem = item === null ? undefined : checkInteger('uint8', item);
      if (problem !== undefined && 'what' in problem) return { what: problem.what, type: 'uint8', final: false };
    }
    return undefined;
  }
  if (typeof value !== 'string') return wrong(value);
  if (decodeBase64(value) !== undefined) return undefined;
  return { message: `illegal base64 data at input byte ${badBase64Byte(encodeUtf8(value))}`, final: false };
}

/** White space that JSON escapes, and characters that only JavaScript treats as white space. */
const UNTRIMMED = /[\t\n\v\f\r\ufeff]/;

/**
 * The text of a quantity, which is the JSON text of any value: for a string the part between the quotes, including
 * escapes. Undefined for a value that cannot be a quantity.
 */
export function quantityText(value: JsonValue): string | undefined {
  if (typeof value === 'object' || typeof value === 'boolean' || (typeof value === 'string' && UNTRIMMED.test(value)))
    return undefined;
  return typeof value === 'string' ? value.trim() : writeJson(value);
}

function checkQuantity(value: JsonValue): TypedProblem | undefined {
  const text = quantityText(value);
  if (text === undefined) return { message: QUANTITY_FORMAT_ERROR, final: true };
  const parsed = parseQuantity(text);
  return parsed.ok ? undefined : { message: parsed.message, final: true };
}

function checkText(
  value: JsonValue,
  parse: (text: string) => { readonly ok: true } | { readonly ok: false; readonly message: string },
): TypedProblem | undefined {
  if (typeof value !== 'string') return { what: jsonKind(value), type: 'string', final: true };
  const parsed = parse(value);
  return parsed.ok ? undefined : { message: parsed.message, final: true };
}

const PADDING = 0x3d;

/** The offset at which Go's decoder stops in invalid base64. */
function badBase64Byte(bytes: Uint8Array): number {
  let read = 0;
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at] as number;
    if (isLineBreak(c)) continue;
    if (c === PADDING && read >= 2) return badPadding(bytes, at, read);
    if (!isBase64(c)) return at;
    read = (read + 1) % 4;
  }
  // The last group is incomplete. Go reports the offset at which it would start without line breaks.
  return bytes.length - read;
}

function badPadding(bytes: Uint8Array, first: number, read: number): number {
  let at = passLineBreaks(bytes, first + 1);
  if (read === 2) {
    if (at === bytes.length) return bytes.length;
    if (bytes[at] !== PADDING) return at - 1;
    at = passLineBreaks(bytes, at + 1);
  }
  return at;
}

function passLineBreaks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isLineBreak(bytes[at] as number)) at++;
  return at;
}

function isLineBreak(c: number): boolean {
  return c === 0x0a || c === 0x0d;
}

function isBase64(c: number): boolean {
  const lower = c | 0x20;
  return (lower >= 0x61 && lower <= 0x7a && c < 0x80) || (c >= 0x30 && c <= 0x39) || c === 0x2b || c === 0x2f;
}
