/** The formats of the library `kubernetes.format`. Their messages are kube-apiserver's. */

import { parseRequestUri } from '../../apimachinery/go/go-url.ts';
import { checkLabelValue, checkQualifiedName } from '../../apimachinery/validation/label-syntax.ts';
import { nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import type { Complaints } from '../../apimachinery/validation/name-syntax.ts';
import { isBase64, isDate, isDateTime, isUuid } from '../../apimachinery/validation/text-formats.ts';

export interface NamedFormat {
  /** kube-apiserver's name of the format. Formats are equal if their names are equal. */
  readonly name: string;
  /** The length of an equivalent regular expression, for the cost. */
  readonly patternLength: number;
  /** Returns the messages about a text; empty if it has the format. */
  check(text: string): Complaints;
}

const DATE_TIME_PATTERN_LENGTH = 71;
const UUID_PATTERN_LENGTH = 70;

function only(message: string, holds: (text: string) => boolean): (text: string) => Complaints {
  return (text) => (holds(text) ? [] : [message]);
}

function checkUri(text: string): Complaints {
  const parsed = parseRequestUri(text);
  return parsed.ok ? [] : [parsed.message];
}

/** The formats by their names in expressions. */
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
