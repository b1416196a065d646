/**
 * Durations in Go's form: `1h30m0s`, `1.5s`, `300ms`. A duration is an exact number of nanoseconds within int64, as a
 * bigint.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { cannotUnmarshal } from '../go-json.ts';
import { quoteTimeText } from './time-quote.ts';

export type ParsedDuration =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly message: string };

const SECOND = 1_000_000_000n;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n], // the micro sign
  ['\u03bcs', 1000n], // the Greek letter
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
]);

const LIMIT = 2n ** 63n;

/** Reads the JSON form. null counts as the empty text, which is refused. */
export function durationFromJson(value: JsonValue): ParsedDuration {
  if (value === null) return parseDuration('');
  if (typeof value !== 'string') return { ok: false, message: cannotUnmarshal(value, 'Go value of type string') };
  return parseDuration(value);
}

/**
 * Parses a signed sequence of decimal numbers with units, such as `-1.5h` or `2h45m`. `0` needs no unit. As in the
 * reference, a fraction is truncated to whole nanoseconds through a double.
 */
export function parseDuration(text: string): ParsedDuration {
  let at = text.startsWith('-') || text.startsWith('+') ? 1 : 0;
  const rest = text.slice(at);
  if (rest === '0') return { ok: true, value: 0n };
  if (rest === '') return failure('invalid duration', text);
  let total = 0n;
  while (at < text.length) {
    const whole = readDigits(text, at);
    const hasPoint = text.charCodeAt(whole.end) === 46;
    const fraction = hasPoint ? readDigits(text, whole.end + 1) : undefined;
    if (whole.overflow || (whole.end === at && (fraction === undefined || fraction.end === whole.end + 1)))
      return failure('invalid duration', text);
    at = fraction === undefined ? whole.end : fraction.end;
    const unitStart = at;
    while (at < text.length && !isNumberChar(text.charCodeAt(at))) at++;
    if (at === unitStart) return failure('missing unit in duration', text);
    const name = text.slice(unitStart, at);
    const unit = UNITS.get(name);
    if (unit === undefined) return failure(`unknown unit ${quoteTimeText(name)} in duration`, text);
    if (whole.value > LIMIT / unit) return failure('invalid duration', text);
    let part = whole.value * unit;
    if (fraction !== undefined && fraction.value > 0n) {
      part += BigInt(Math.trunc(Number(fraction.value) * (Number(unit) / fraction.scale)));
      if (part > LIMIT) return failure('invalid duration', text);
    }
    total = BigInt.asUintN(64, total + part);
    if (total > LIMIT) return failure('invalid duration', text);
  }
  if (text.startsWith('-')) return { ok: true, value: -total };
  return total === LIMIT ? failure('invalid duration', text) : { ok: true, value: total };
}

/**
 * The shortest form in hours, minutes and seconds. Below a second it is the largest unit with a whole part. `0s` for
 * zero.
 */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds < 1000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${withFraction(nanoseconds, 3)}\u00b5s`;
  if (nanoseconds < SECOND) return `${withFraction(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / (60n * SECOND);
  const seconds = `${withFraction(nanoseconds % (60n * SECOND), 9)}s`;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

function failure(problem: string, text: string): ParsedDuration {
  return { ok: false, message: `time: ${problem} ${quoteTimeText(text)}` };
}

function isNumberChar(code: number): boolean {
  return code === 46 || (code >= 48 && code <= 57);
}

interface Digits {
  readonly end: number;
  readonly value: bigint;
  /** 10 to the number of significant digits in `value`. */
  readonly scale: number;
  readonly overflow: boolean;
}

/** Reads digits. Digits that would carry the value beyond 2^63 are ignored. */
function readDigits(text: string, from: number): Digits {
  let end = from;
  while (end < text.length && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++;
  let first = from;
  while (first < end && text.charCodeAt(first) === 48) first++;
  const significant = text.slice(first, end);
  for (let length = Math.min(significant.length, 19); ; length--) {
    const value = BigInt(significant.slice(0, length));
    if (value > LIMIT) continue;
    let scale = 1;
    for (let i = 0; i < first - from + length; i++) scale *= 10;
    return { end, value, scale, overflow: length < significant.length };
  }
}

function withFraction(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = (value % scale).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}
