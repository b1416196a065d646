/**
 * The texts that JSON has for scalars which the wire carries as numbers or bytes: times, durations, base64. Invariant: a text is accepted
 * if and only if Go's decoder accepts it there, and printed as Go prints it.
 */

/** Seconds since 1970 and the nanoseconds within the second. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** Go's zero time, 0001-01-01T00:00:00Z: JSON prints it as null, the wire as an empty message. */
export const ZERO_TIME_SECONDS = -62_135_596_800;
/** 9999-12-31T23:59:59Z, the last second that the text form can hold. */
const LAST_SECOND = 253_402_300_799;
/** 0000-01-01T00:00:00Z. */
const FIRST_SECOND = -62_167_219_200;

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MAX_TIME_TEXT = 64;

/** An RFC 3339 time, or undefined. `micro` asks for exactly six digits after the second, as MicroTime does. */
export function parseTimeText(text: string, micro: boolean): Instant | undefined {
  const match = text.length > MAX_TIME_TEXT ? null : TIME.exec(text);
  if (match === null) return undefined;
  const fraction = match[7] ?? '';
  if (micro && fraction.length !== 6) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  // Go's parser allows a little more than a day here.
  if (offsetHour > 24 || offsetMinute > 60) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -60 : 60);
  const seconds = daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  return { seconds, nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) };
}

/** The text of a time in UTC, to the second or the microsecond; undefined outside the years 0 to 9999. */
export function formatTimeText(instant: Instant, micro: boolean): string | undefined {
  const { seconds } = instant;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return undefined;
  // Years before 100 confuse Date's constructors, not its arithmetic.
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (!micro) return `${text}Z`;
  const micros = Math.floor(instant.nanos / 1000);
  return `${text}.${String(micros).padStart(6, '0')}Z`;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function daysSinceEpoch(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const DURATION_PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
const MAX_DURATION_TEXT = 256;
const MAX_INT64 = 9_223_372_036_854_775_807n;

/** A Go duration such as `1h30m0.5s` in nanoseconds, or undefined. */
export function parseDurationText(text: string): bigint | undefined {
  if (text.length > MAX_DURATION_TEXT) return undefined;
  const negative = text.startsWith('-');
  const rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let total = 0n;
  let at = 0;
  while (at < rest.length) {
    DURATION_PART.lastIndex = at;
    const match = DURATION_PART.exec(rest);
    if (match === null) return undefined;
    const [part, whole = '', fraction = '', unit = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const scale = UNITS[unit] as bigint;
    total += BigInt(whole || '0') * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    at += part.length;
  }
  if (total > MAX_INT64 + (negative ? 1n : 0n)) return undefined;
  return negative ? -total : total;
}

/** Nanoseconds as Go prints a duration: `1h30m0.5s`, `1.5ms`, `0s`. */
export function formatDurationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const total = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (total < 1000n) return `${sign}${total}ns`;
  if (total < 1_000_000n) return `${sign}${decimal(total, 3)}µs`;
  if (total < 1_000_000_000n) return `${sign}${decimal(total, 6)}ms`;
  const minutes = total / 60_000_000_000n;
  const seconds = `${decimal(total % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = String(value % scale)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / scale) : `${value / scale}.${fraction}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES: Int8Array = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));

/** Bytes of padded base64; line ends are passed over, as Go does. Undefined for anything else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const clean = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, '') : text;
  const { length } = clean;
  if (length % 4 !== 0) return undefined;
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  let at = 0;
  let bits = 0;
  for (let i = 0; i < length - padding; i++) {
    const code = clean.charCodeAt(i);
    const value = code < 128 ? (VALUES[code] as number) : -1;
    if (value < 0) return undefined;
    bits = (bits << 6) | value;
    if ((i & 3) === 1) bytes[at++] = bits >>> 4;
    else if ((i & 3) === 2) bytes[at++] = bits >>> 2;
    else if ((i & 3) === 3) {
      bytes[at++] = bits;
      bits = 0;
    }
  }
  return bytes;
}

/** Padded base64 of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  const whole = bytes.length - (bytes.length % 3);
  let text = '';
  for (let i = 0; i < whole; i += 3) {
    const bits = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    text += digit(bits >>> 18) + digit(bits >>> 12) + digit(bits >>> 6) + digit(bits);
    if (text.length > 8192) {
      parts.push(text);
      text = '';
    }
  }
  if (whole < bytes.length) {
    const first = bytes[whole] as number;
    const second = bytes[whole + 1];
    const bits = (first << 16) | ((second ?? 0) << 8);
    text += `${digit(bits >>> 18)}${digit(bits >>> 12)}${second === undefined ? '=' : digit(bits >>> 6)}=`;
  }
  parts.push(text);
  return parts.join('');
}

function digit(value: number): string {
  return ALPHABET[value & 63] as string;
}
