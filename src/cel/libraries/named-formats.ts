/**
 * The formats that expressions can ask for by name, with what they complain of. Invariant: complaints are the reference's own.
 */
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/labels-syntax.ts';
import { nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import type { Complaints } from '../../apimachinery/validation/names.ts';
import { parseRequestUri } from './go-url.ts';

export interface NamedFormat {
  /** By this name the reference tells formats apart. */
  readonly name: string;
  /** As if it were a regular expression of this length, for the cost. */
  readonly patternLength: number;
  check(text: string): Complaints;
}

const DATE_TIME_PATTERN_LENGTH = 71;
const UUID_PATTERN_LENGTH = 70;

function only(complaint: string, holds: (text: string) => boolean): (text: string) => Complaints {
  return (text) => (holds(text) ? [] : [complaint]);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `2006-01-02`, a day that there is. */
export function isDate(text: string): boolean {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

/** RFC 3339, but for a colon's worth: any character may stand before the fraction, and leap seconds are refused. */
export function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (text.length < 4 || date === undefined || time === undefined || !isDate(date)) return false;
  const found = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u.exec(time);
  return found !== null && Number(found[1]) <= 23 && Number(found[2]) <= 59 && Number(found[3]) <= 59;
}

/** Whole groups of four with padding; nothing is not base64. */
export function isBase64(text: string): boolean {
  return text !== '' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text);
}

/** Dashes may be left out. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

function checkUri(text: string): Complaints {
  const parsed = parseRequestUri(text);
  return parsed.ok ? [] : [parsed.message];
}

/** By the names that expressions use. */
export const NAMED_FORMATS: ReadonlyMap<string, NamedFormat> = new Map<string, NamedFormat>([
  ['dns1123Label', { name: 'DNS1123Label', patternLength: 30, check: (text) => nameIsDnsLabel(text, false) }],
  [
    'dns1123Subdomain',
    { name: 'DNS1123Subdomain', patternLength: 60, check: (text) => nameIsDnsSubdomain(text, false) },
  ],
  ['dns1035Label', { name: 'DNS1035Label', patternLength: 30, check: (text) => nameIsDns1035Label(text, false) }],
  ['qualifiedName', { name: 'QualifiedName', patternLength: 60, check: checkQualifiedName }],
  [
    'dns1123LabelPrefix',
    { name: 'DNS1123LabelPrefix', patternLength: 30, check: (text) => nameIsDnsLabel(text, true) },
  ],
  [
    'dns1123SubdomainPrefix',
    { name: 'DNS1123SubdomainPrefix', patternLength: 60, check: (text) => nameIsDnsSubdomain(text, true) },
  ],
  [
    'dns1035LabelPrefix',
    { name: 'DNS1035LabelPrefix', patternLength: 30, check: (text) => nameIsDns1035Label(text, true) },
  ],
  ['labelValue', { name: 'LabelValue', patternLength: 40, check: checkLabelValue }],
  ['uri', { name: 'URI', patternLength: 1103, check: checkUri }],
  ['uuid', { name: 'uuid', patternLength: UUID_PATTERN_LENGTH, check: only('does not match the UUID format', isUuid) }],
  ['byte', { name: 'byte', patternLength: 84, check: only('invalid base64', isBase64) }],
  ['date', { name: 'date', patternLength: DATE_TIME_PATTERN_LENGTH, check: only('invalid date', isDate) }],
  [
    'datetime',
    { name: 'datetime', patternLength: DATE_TIME_PATTERN_LENGTH, check: only('invalid datetime', isDateTime) },
  ],
]);
