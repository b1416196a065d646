/**
 * The formats that expressions can ask for by name, with what they complain of. Invariant: complaints are the reference's own.
 */
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/label-syntax.ts';
import { nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import type { Complaints } from '../../apimachinery/validation/name-syntax.ts';
import { isBase64, isDate, isDateTime, isUuid } from '../../apimachinery/validation/text-formats.ts';
import { parseRequestUri } from './go/go-url.ts';

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
