/**
 * The formats date, date-time and duration: wider than RFC 3339 and narrower than ISO 8601. Every parser is linear in
 * the text.
 */
import { parseDuration } from '../../apimachinery/scalars/duration.ts';
import { parseTime } from '../../apimachinery/scalars/time.ts';
import { isDate } from '../../apimachinery/validation/text-formats.ts';

const NANOS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds since 1970 of a date such as `2006-01-02`; undefined for other texts. */
export function parseDate(text: string): bigint | undefined {
  if (!isDate(text)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, Number(text.slice(8)));
  return BigInt(date.getTime() / 1000) * NANOS_PER_SECOND;
}

/**
 * Nanoseconds since 1970 of a date-time; undefined for other texts. Without a zone it is in UTC. The empty text is
 * 1970.
 */
export function parseDateTime(text: string): bigint | undefined {
  if (text === '') return 0n;
  const zoned = parseTime(text);
  const parsed = zoned.ok ? zoned : parseTime(`${text}Z`);
  return parsed.ok ? BigInt(parsed.value.seconds) * NANOS_PER_SECOND + BigInt(parsed.value.nanos) : undefined;
}

const SECOND = NANOS_PER_SECOND;
/** The names of units. The last name of each unit is a prefix: it stands for every word that begins with it. */
const UNITS: readonly (readonly [nanos: bigint, names: readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1000n, ['us', '\u00b5s', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [SECOND, ['s', 'sec']],
  [60n * SECOND, ['m', 'min']],
  [3600n * SECOND, ['h', 'hr', 'hour']],
  [24n * 3600n * SECOND, ['d', 'day']],
  [7n * 24n * 3600n * SECOND, ['w', 'wk', 'week']],
];
const SPAN = /([0-9]+)[\t\n\f\r ]*([A-Za-z\u00b5]+)/g;
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Nanoseconds of a Go duration such as `1h30m`, or the sum of all spans in the text, such as `2 days 3 weeks`.
 * Undefined if the text contains no span, or if a number does not fit an int64.
 */
export function parseFormatDuration(text: string): bigint | undefined {
  const plain = parseDuration(text);
  if (plain.ok) return plain.value;
  let total: bigint | undefined;
  for (const [, digits = '', word = ''] of text.matchAll(SPAN)) {
    const significant = digits.replace(/^0+/, '');
    const count = significant.length > 19 ? INT64_MAX + 1n : BigInt(digits);
    if (count > INT64_MAX) return undefined;
    const unit = word.toLowerCase();
    for (const [nanos, names] of UNITS) {
      if (names.includes(unit) || unit.startsWith(names.at(-1) as string))
        total = BigInt.asIntN(64, (total ?? 0n) + count * nanos);
    }
  }
  return total;
}

export function isDuration(text: string): boolean {
  return parseFormatDuration(text) !== undefined;
}
