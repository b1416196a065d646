/**
 * Time and MicroTime: instants to the second and to the microsecond, both RFC 3339 in UTC. An instant is whole seconds
 * since 1970 plus nanoseconds, so nothing is lost before printing. The parsers accept and refuse what the reference's
 * layouts do, with its messages.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { cannotUnmarshal } from '../go-json.ts';
import { quoteTimeText } from './time-quote.ts';

export interface Instant {
  /** Seconds since 1970-01-01T00:00:00Z; negative before. */
  readonly seconds: number;
  /** 0 to 999,999,999, counted forward from `seconds`. */
  readonly nanos: number;
}

export type ParsedTime =
  | { readonly ok: true; readonly value: Instant }
  | { readonly ok: false; readonly message: string };

/** The start of year 1, Go's zero time. It is printed as null. */
export const ZERO_INSTANT: Instant = { seconds: -62_135_596_800, nanos: 0 };

const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** Parses RFC 3339 with an optional fraction of any length, of which nine digits count. */
export function parseTime(text: string): ParsedTime {
  if (last?.text !== text) last = { text, parsed: parse(text, false) };
  return last.parsed;
}

/** The last parsed time. Objects that are created in one second have the same timestamps. */
let last: { readonly text: string; readonly parsed: ParsedTime } | undefined;

/** Parses RFC 3339 with a fraction of exactly six digits. */
export function parseMicroTime(text: string): ParsedTime {
  return parse(text, true);
}

/** Reads the JSON form of a Time; null is the zero instant. */
export function timeFromJson(value: JsonValue): ParsedTime {
  return fromJson(value, parseTime);
}

/** Reads the JSON form of a MicroTime; null is the zero instant. */
export function microTimeFromJson(value: JsonValue): ParsedTime {
  return fromJson(value, parseMicroTime);
}

/** The JSON form of a Time: null for the zero instant. Fractions are truncated. */
export function timeToJson(instant: Instant): string | null {
  return isZeroInstant(instant) ? null : formatTime(instant);
}

/** The JSON form of a MicroTime: null for the zero instant. Finer fractions are truncated. */
export function microTimeToJson(instant: Instant): string | null {
  return isZeroInstant(instant) ? null : formatMicroTime(instant);
}

/** `2006-01-02T15:04:05Z`. Fractions are truncated. */
export function formatTime(instant: Instant): string {
  return `${formatSeconds(instant.seconds)}Z`;
}

/** `2006-01-02T15:04:05.000000Z`. Finer fractions are truncated. */
export function formatMicroTime(instant: Instant): string {
  return `${formatSeconds(instant.seconds)}.${String(Math.trunc(instant.nanos / 1000)).padStart(6, '0')}Z`;
}

/** The instant of milliseconds since the epoch. */
export function instantFromMillis(millis: number): Instant {
  const seconds = Math.floor(millis / 1000);
  return { seconds, nanos: Math.floor((millis - seconds * 1000) * 1_000_000) };
}

/** The milliseconds since 1970 of a time, without its fraction of a second. Undefined if it is malformed. */
export function millisFromTime(text: string): number | undefined {
  const parsed = parseTime(text);
  return parsed.ok ? parsed.value.seconds * 1000 : undefined;
}

export function isZeroInstant(instant: Instant): boolean {
  return instant.seconds === ZERO_INSTANT.seconds && instant.nanos === 0;
}

export function compareInstant(a: Instant, b: Instant): number {
  return a.seconds - b.seconds || a.nanos - b.nanos;
}

function fromJson(value: JsonValue, parser: (text: string) => ParsedTime): ParsedTime {
  if (value === null) return { ok: true, value: ZERO_INSTANT };
  if (typeof value !== 'string') return { ok: false, message: cannotUnmarshal(value, 'Go value of type string') };
  return parser(value);
}

function formatSeconds(seconds: number): string {
  const date = new Date(seconds * 1000);
  const iso = date.toISOString();
  if (iso.length === 24) return iso.slice(0, 19);
  // An offset can lead outside the years 0 to 9999, where the ISO form has a sign and six digits.
  const year = date.getUTCFullYear();
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}${iso.slice(7, 22)}`;
}

/** The parts of the layouts, in order: the text before each, and its name in errors. */
const PARTS = [
  { prefix: '', name: '2006', limit: undefined },
  { prefix: '-', name: '01', limit: 'month' },
  { prefix: '-', name: '02', limit: undefined },
  { prefix: 'T', name: '15', limit: 'hour' },
  { prefix: ':', name: '04', limit: 'minute' },
  { prefix: ':', name: '05', limit: 'second' },
] as const;

const LOWEST = [0, 1, 0, 0, 0, 0];
const HIGHEST = [9999, 12, 99, 23, 59, 59];

function parse(text: string, micro: boolean): ParsedTime {
  const layout = micro ? MICRO_LAYOUT : SECONDS_LAYOUT;
  const bad = (at: number, element: string): ParsedTime =>
    failure(text, ` as "${layout}": cannot parse ${quoteTimeText(text.slice(at))} as "${element}"`);
  const fields: number[] = [];
  let at = 0;
  for (let i = 0; i < PARTS.length; i++) {
    const { prefix, name, limit } = PARTS[i] as (typeof PARTS)[number];
    if (prefix !== '' && text[at] !== prefix) return bad(at, prefix);
    at += prefix.length;
    const width = i === 0 ? 4 : name === '15' && !isDigit(text, at + 1) ? 1 : 2; // an hour may have one digit
    for (let k = 0; k < width; k++) if (!isDigit(text, at + k)) return bad(at, name);
    const field = Number(text.slice(at, at + width));
    at += width;
    if (limit !== undefined && (field < (LOWEST[i] as number) || field > (HIGHEST[i] as number)))
      return failure(text, `: ${limit} out of range`);
    fields.push(field);
  }

  let nanos = 0;
  if (micro) {
    const fraction = text.slice(at + 1, at + 7);
    if (!isPoint(text[at]) || !/^[-+]?[0-9]+$/.test(fraction) || fraction.length < 6) return bad(at, '.000000');
    nanos = Number(fraction) * 1000 + 0;
    if (nanos < 0) return failure(text, ': fractional second out of range');
    at += 7;
  } else if (isPoint(text[at]) && isDigit(text, at + 1)) {
    const start = ++at;
    while (isDigit(text, at)) at++;
    nanos = Number(text.slice(start, Math.min(at, start + 9)).padEnd(9, '0'));
  }

  let offset = 0;
  if (text[at] === 'Z') at++;
  else {
    const zone = parseZone(text.slice(at, at + 6));
    if (zone.problem !== undefined) return failure(text, `: ${zone.problem} out of range`);
    if (zone.seconds === undefined) return bad(at, 'Z07:00');
    offset = zone.seconds;
    at += 6;
  }
  if (at < text.length) return failure(text, `: extra text: ${quoteTimeText(text.slice(at))}`);

  const [year, month, day, hour, minute, second] = fields as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (day < 1 || date.getUTCDate() !== day) return failure(text, ': day out of range');
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  return { ok: true, value: { seconds, nanos } };
}

function parseZone(zone: string): { seconds?: number; problem?: string } {
  if (zone.length < 6 || zone[3] !== ':') return {};
  const hoursOk = isDigit(zone, 1) && isDigit(zone, 2);
  const minutesOk = hoursOk && isDigit(zone, 4) && isDigit(zone, 5);
  const hours = hoursOk ? Number(zone.slice(1, 3)) : 0;
  const minutes = minutesOk ? Number(zone.slice(4, 6)) : 0;
  // The reference allows 24 hours and 60 minutes. Of two problems it names the last.
  if (minutes > 60) return { problem: 'time zone offset minute' };
  if (hours > 24) return { problem: 'time zone offset hour' };
  if (!minutesOk || (zone[0] !== '+' && zone[0] !== '-')) return {};
  const seconds = (hours * 60 + minutes) * 60;
  return { seconds: zone[0] === '-' ? -seconds : seconds };
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function isPoint(char: string | undefined): boolean {
  return char === '.' || char === ',';
}

function failure(text: string, detail: string): ParsedTime {
  return { ok: false, message: `parsing time ${quoteTimeText(text)}${detail}` };
}
