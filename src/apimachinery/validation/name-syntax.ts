/**
 * The syntax of names: functions that return the problems of a text, in the reference's words. The checks are linear
 * and total. `name-rules` has the rules for names of objects, which also accept prefixes.
 */
import {
  ALNUM,
  DASH,
  DIGIT,
  DOT,
  EMPTY_TEXT,
  everyDottedPart,
  hasShape,
  isLongerThan,
  LETTER,
  LOWER,
  maxCharactersText,
  patternText,
  rangeText,
  type Shape,
  UNDERSCORE,
} from './text-rules.ts';

/** The problems of a text; empty if it is valid. */
export type Complaints = readonly string[];

const NONE: Complaints = [];

export const DNS_LABEL_MAX = 63;
export const DNS_SUBDOMAIN_MAX = 253;

const LABEL_PATTERN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
export const SUBDOMAIN_PATTERN: string = `${LABEL_PATTERN}(\\.${LABEL_PATTERN})*`;
const UNDERSCORE_LABEL_PATTERN = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORE_SUBDOMAIN_PATTERN = `${UNDERSCORE_LABEL_PATTERN}(\\.${UNDERSCORE_LABEL_PATTERN})*`;

const DNS_LABEL: Shape = { first: LOWER | DIGIT, middle: LOWER | DIGIT | DASH, last: LOWER | DIGIT };
const DNS_1035_LABEL: Shape = { ...DNS_LABEL, first: LOWER };
const CASELESS_LABEL: Shape = { first: ALNUM, middle: ALNUM | DASH, last: ALNUM };
const UNDERSCORE_LABEL: Shape = { ...DNS_LABEL, middle: LOWER | DIGIT | DASH | UNDERSCORE };

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
export const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

/** Whether the text is a lower-case DNS subdomain of any length. */
export function isSubdomainShape(text: string): boolean {
  return everyDottedPart(text, isDnsLabelPart);
}

function isDnsLabelPart(text: string, from: number, to: number): boolean {
  return hasShape(text, DNS_LABEL, from, to);
}

export function checkDns1123Label(text: string): Complaints {
  const complaints = tooLong(text, DNS_LABEL_MAX);
  if (hasShape(text, DNS_LABEL)) return complaints;
  if (isSubdomainShape(text)) return [...complaints, 'must not contain dots'];
  return [...complaints, patternText(LABEL_RULE, LABEL_PATTERN, 'my-name', '123-abc')];
}

export function checkDns1123Subdomain(text: string): Complaints {
  const complaints = tooLong(text, DNS_SUBDOMAIN_MAX);
  if (isSubdomainShape(text)) return complaints;
  return [...complaints, patternText(SUBDOMAIN_RULE, SUBDOMAIN_PATTERN, 'example.com')];
}

/** Checks a subdomain in which underscores may replace dashes, and each label may begin with an underscore. */
export function checkDns1123SubdomainWithUnderscore(text: string): Complaints {
  const complaints = tooLong(text, DNS_SUBDOMAIN_MAX);
  const isPart = (whole: string, from: number, to: number): boolean =>
    hasShape(whole, UNDERSCORE_LABEL, whole.charCodeAt(from) === 0x5f ? from + 1 : from, to);
  if (everyDottedPart(text, isPart)) return complaints;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...complaints, patternText(rule, UNDERSCORE_SUBDOMAIN_PATTERN, 'example.com')];
}

/**
 * Checks a subdomain in upper or lower case. The length is reported in bytes. The message shows the lower-case pattern,
 * as in the reference.
 */
export function checkDns1123SubdomainCaseless(text: string): Complaints {
  const complaints = isLongerThan(text, DNS_SUBDOMAIN_MAX) ? [`must be no more than ${DNS_SUBDOMAIN_MAX} bytes`] : NONE;
  // Case folding makes U+017F an s and U+212A a k, so the reference's pattern accepts them.
  const folded = text.replace(/[\u017f\u212a]/g, 'k');
  if (everyDottedPart(folded, (whole, from, to) => hasShape(whole, CASELESS_LABEL, from, to))) return complaints;
  const rule =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...complaints, patternText(rule, SUBDOMAIN_PATTERN, 'Example.com')];
}

/** Checks `*.` followed by a subdomain. */
export function checkWildcardDns1123Subdomain(text: string): Complaints {
  const complaints = tooLong(text, DNS_SUBDOMAIN_MAX);
  if (text.startsWith('*.') && isSubdomainShape(text.slice(2))) return complaints;
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...complaints, patternText(rule, `\\*\\.${SUBDOMAIN_PATTERN}`, '*.example.com')];
}

export function checkDns1035Label(text: string): Complaints {
  const complaints = tooLong(text, DNS_LABEL_MAX);
  if (hasShape(text, DNS_1035_LABEL)) return complaints;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...complaints, patternText(rule, '[a-z]([-a-z0-9]*[a-z0-9])?', 'my-name', 'abc-123')];
}

/** Checks a name that is a whole segment of a URL path. */
export function checkPathSegmentName(text: string): Complaints {
  return text === '.' || text === '..' ? [`may not be '${text}'`] : checkPathSegmentPrefix(text);
}

/** Checks the prefix of a path segment. `.` and `..` are valid, because more characters follow. */
export function checkPathSegmentPrefix(text: string): Complaints {
  return ['/', '%'].filter((bad) => text.includes(bad)).map((bad) => `may not contain '${bad}'`);
}

const C_IDENTIFIER: Shape = { first: LETTER | UNDERSCORE, middle: ALNUM | UNDERSCORE, last: ALNUM | UNDERSCORE };

export function checkCIdentifier(text: string): Complaints {
  if (hasShape(text, C_IDENTIFIER)) return NONE;
  const rule =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [patternText(rule, '[A-Za-z_][A-Za-z0-9_]*', 'my_name', 'MY_NAME', 'MyName')];
}

const ENV_REST: number = ALNUM | DASH | UNDERSCORE | DOT;
const ENV_NAME: Shape = { first: LETTER | DASH | UNDERSCORE | DOT, middle: ENV_REST, last: ENV_REST };

/** Checks the name of an environment variable by the strict rule. Containers are checked by the relaxed rule. */
export function checkEnvVarName(text: string): Complaints {
  if (hasShape(text, ENV_NAME)) return parentFolderComplaints(text);
  const rule =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
  const complaint = patternText(rule, '[-._a-zA-Z][-._a-zA-Z0-9]*', 'my.env-name', 'MY_ENV.NAME', 'MyEnvName1');
  return [complaint, ...parentFolderComplaints(text)];
}

/** Checks the name of an environment variable by the relaxed rule: any printable ASCII except `=`. */
export function checkRelaxedEnvVarName(text: string): Complaints {
  if (text === '') return [`environment variable name ${EMPTY_TEXT}`];
  if (/^[ -<>-~]*$/.test(text)) return NONE;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

const CONFIG_KEY: Shape = { first: ENV_REST, middle: ENV_REST, last: ENV_REST };

/** Checks a key of a ConfigMap or Secret, which becomes the name of a file. */
export function checkConfigMapKey(text: string): Complaints {
  if (hasShape(text, CONFIG_KEY) && text.length <= DNS_SUBDOMAIN_MAX) return parentFolderComplaints(text);
  const complaints = [...tooLong(text, DNS_SUBDOMAIN_MAX)];
  if (!hasShape(text, CONFIG_KEY)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    complaints.push(patternText(rule, '[-._a-zA-Z0-9]+', 'key.name', 'KEY_NAME', 'key-name'));
  }
  complaints.push(...parentFolderComplaints(text));
  return complaints;
}

function parentFolderComplaints(text: string): Complaints {
  if (text === '.' || text === '..') return [`must not be '${text}'`];
  return text.startsWith('..') ? ["must not start with '..'"] : NONE;
}

export function checkPortNumber(port: number): Complaints {
  return checkInRange(port, 1, 65535);
}

export function checkInRange(value: number, low: number, high: number): Complaints {
  return value >= low && value <= high ? NONE : [rangeText(low, high)];
}

const PORT_CHARACTERS: number = LOWER | DIGIT | DASH;
const PORT_NAME: Shape = { first: PORT_CHARACTERS, middle: PORT_CHARACTERS, last: PORT_CHARACTERS };

/** Checks a port name: a service name of RFC 6335, in lower case. */
export function checkPortName(text: string): Complaints {
  const complaints = [...tooLong(text, 15)];
  if (!hasShape(text, PORT_NAME))
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(text)) complaints.push('must contain at least one letter (a-z)');
  if (text.includes('--')) complaints.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) complaints.push('must not begin or end with a hyphen');
  return complaints;
}

/** Checks a percentage: digits and a percent sign. */
export function checkPercent(text: string): Complaints {
  const digits: Shape = { first: DIGIT, middle: DIGIT, last: DIGIT };
  if (text.endsWith('%') && hasShape(text, digits, 0, text.length - 1)) return NONE;
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return [patternText(rule, '[0-9]+%', '1%', '93%')];
}

const HEADER_NAME: Shape = { first: ALNUM | DASH, middle: ALNUM | DASH, last: ALNUM | DASH };

export function checkHttpHeaderName(text: string): Complaints {
  if (hasShape(text, HEADER_NAME)) return NONE;
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [patternText(rule, '[-A-Za-z0-9]+', 'X-Header-Name')];
}

function tooLong(text: string, max: number): Complaints {
  return isLongerThan(text, max) ? [maxCharactersText(max)] : NONE;
}
