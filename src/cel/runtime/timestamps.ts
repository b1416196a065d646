/**
 * The parsing and formatting of timestamps and durations, and calendar fields in a time zone, like Go's `time` within
 * the years 1 to 9999.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { parseTime } from '../../apimachinery/scalars/time.ts';
import { CelDuration, CelError, CelTimestamp } from '../values.ts';
import { takeSteps } from './allowance.ts';
import { formatDecimal } from './go-strconv.ts';
import { MAX_INT, MIN_INT } from './integers.ts';

const SECOND = 1_000_000_000n;
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND - 1n;

/** Creates a timestamp. Throws "timestamp overflow" outside the years 1 to 9999. */
export function timestampOf(nanos: bigint, offset: number = 0): CelTimestamp {
  if (nanos < FIRST || nanos > LAST) throw new CelError('timestamp overflow');
  return new CelTimestamp(nanos, offset);
}

/** Creates a duration. Throws "integer overflow" out of the range of int64 nanoseconds. */
export function durationOf(nanos: bigint): CelDuration {
  if (nanos < MIN_INT || nanos > MAX_INT) throw new CelError('integer overflow');
  return new CelDuration(nanos);
}

/** Parses RFC 3339; undefined for other texts. Throws "timestamp overflow". */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const parsed = parseTime(text);
  if (!parsed.ok) return undefined;
  const zone = /([+-])(\d\d):(\d\d)$/.exec(text);
  const offset = zone === null ? 0 : (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 3600 + Number(zone[3]) * 60);
  return timestampOf(BigInt(parsed.value.seconds) * SECOND + BigInt(parsed.value.nanos), offset);
}

/** Formats as RFC 3339 in the UTC offset of the timestamp, with the necessary digits of the second. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const local = timestamp.nanos + BigInt(timestamp.offset) * SECOND;
  const seconds = floorDivide(local, SECOND);
  const nanos = local - seconds * SECOND;
  const date = new Date(Number(seconds) * 1000).toISOString().replace(/^\+00/, '').slice(0, -5);
  const fraction = nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return date + fraction + formatOffset(timestamp.offset);
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Formats a duration as seconds: `5400s`, `0.25s`. */
export function formatDurationSeconds(duration: CelDuration): string {
  const whole = duration.nanos / SECOND;
  const rest = duration.nanos % SECOND;
  return `${formatDecimal(Number(whole) + Number(rest) / 1e9)}s`;
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/**
 * A date whose UTC fields are the fields of the timestamp in a time zone. `zone` is `+02:00`, `UTC`, the empty text
 * (UTC) or a name of the tz database. Throws CelError for other texts.
 */
export function inZone(timestamp: CelTimestamp, zone: string): Date {
  const millis = Number(floorDivide(timestamp.nanos, 1_000_000n));
  return new Date(millis + zoneOffset(millis, zone));
}

/** The UTC offset of a zone at a time, in milliseconds east. */
function zoneOffset(millis: number, zone: string): number {
  if (zone === '' || zone === 'UTC') return 0;
  const colon = zone.indexOf(':');
  if (colon === -1) return namedOffset(millis, zone);
  const hours = atoi(zone.slice(0, colon));
  const minutes = atoi(zone.slice(colon + 1));
  return (hours * 60 + (zone.startsWith('-') ? -minutes : minutes)) * 60_000;
}

function atoi(text: string): number {
  if (!/^[-+]?\d{1,9}$/.test(text)) throw new CelError(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
  return Number(text);
}

/** The formatters of time zones. Emptied when full. */
const zones: Map<string, Intl.DateTimeFormat> = new Map();

/** The steps of a conversion, and of creating a formatter, which is slow. */
const ZONE_STEPS = 5000;
const NEW_ZONE_STEPS = 100_000;

/** More than the number of zones in the tz database. */
const MAX_ZONES = 600;

function namedOffset(millis: number, zone: string): number {
  takeSteps(ZONE_STEPS);
  const parts = zoneFormat(zone).formatToParts(millis);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((each) => each.type === type)?.value);
  const year = parts.some((each) => each.type === 'era' && each.value.startsWith('B'))
    ? 1 - part('year')
    : part('year');
  const local = new Date(0);
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return local.getTime() - Math.floor(millis / 1000) * 1000;
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  takeSteps(NEW_ZONE_STEPS);
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (caught) {
    if (caught instanceof RangeError) throw new CelError(`unknown time zone ${zone}`);
    throw caught;
  }
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(zone, format);
  return format;
}
