/**
 * The syntax of label keys (qualified names) and label values, and of the domain-prefixed names built on them. Messages
 * are the reference's. Valid keys and values are ASCII, so plain comparison gives the reference's order.
 */
import { type FieldIssue, invalid, required } from './field-issue.ts';
import type { FieldPath } from './field-path.ts';
import {
  type Complaints,
  checkDns1123Label,
  checkDns1123Subdomain,
  DNS_SUBDOMAIN_MAX,
  isSubdomainShape,
  SUBDOMAIN_PATTERN,
  SUBDOMAIN_RULE,
} from './name-syntax.ts';
import {
  ALNUM,
  DASH,
  DOT,
  EMPTY_TEXT,
  hasShape,
  isLongerThan,
  maxBytesText,
  patternText,
  type Shape,
  UNDERSCORE,
} from './text-rules.ts';

const NONE: Complaints = [];

export const LABEL_VALUE_MAX = 63;
const LABEL_NAME_MAX = 63;

const NAME: Shape = { first: ALNUM, middle: ALNUM | DASH | UNDERSCORE | DOT, last: ALNUM };
const NAME_PATTERN = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_TEXT: string = patternText(NAME_RULE, NAME_PATTERN, 'MyName', 'my.name', '123-abc');

/**
 * Checks a label key, annotation key or finalizer: a name of at most 63 bytes, optionally after a DNS subdomain and
 * `/`.
 */
export function checkQualifiedName(text: string): Complaints {
  const slash = text.indexOf('/');
  const length = text.length - slash - 1;
  // A valid name is ASCII, so that its length is its size.
  if (length <= LABEL_NAME_MAX && hasShape(text, NAME, slash + 1) && (slash < 0 || isPrefix(text.slice(0, slash))))
    return NONE;
  if (slash >= 0 && text.includes('/', slash + 1))
    return [`a valid label key ${NAME_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const complaints: string[] = slash < 0 ? [] : prefixComplaints(text.slice(0, slash));
  const name = slash < 0 ? text : text.slice(slash + 1);
  if (name === '') complaints.push(`name part ${EMPTY_TEXT}`);
  else if (isLongerThan(name, LABEL_NAME_MAX)) complaints.push(`name part ${maxBytesText(LABEL_NAME_MAX)}`);
  if (!hasShape(name, NAME)) complaints.push(`name part ${NAME_TEXT}`);
  return complaints;
}

function isPrefix(text: string): boolean {
  return text.length <= DNS_SUBDOMAIN_MAX && isSubdomainShape(text);
}

/** Checks the prefix of a qualified name. Unlike the other subdomain rules, the message has the length in bytes. */
function prefixComplaints(prefix: string): string[] {
  if (prefix === '') return [`prefix part ${EMPTY_TEXT}`];
  const complaints: string[] = [];
  if (isLongerThan(prefix, DNS_SUBDOMAIN_MAX)) complaints.push(`prefix part ${maxBytesText(DNS_SUBDOMAIN_MAX)}`);
  if (!isSubdomainShape(prefix))
    complaints.push(`prefix part ${patternText(SUBDOMAIN_RULE, SUBDOMAIN_PATTERN, 'example.com')}`);
  return complaints;
}

/** Checks a label value: empty, or with the syntax of the name of a label key. */
export function checkLabelValue(text: string): Complaints {
  if (text === '' || (text.length <= LABEL_VALUE_MAX && hasShape(text, NAME))) return NONE;
  const complaints: string[] = [];
  if (isLongerThan(text, LABEL_VALUE_MAX)) complaints.push(maxBytesText(LABEL_VALUE_MAX));
  if (!hasShape(text, NAME)) {
    const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`;
    complaints.push(patternText(rule, `(${NAME_PATTERN})?`, 'MyValue', 'my_value', '12345'));
  }
  return complaints;
}

/** Returns one issue for each problem of a label key. */
export function validateLabelName(name: string, path: FieldPath | undefined): FieldIssue[] {
  return checkQualifiedName(name).map((complaint) => invalid(path, name, complaint));
}

/** Validates label keys and values. All issues have the path of the map. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: FieldPath | undefined,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (labels === undefined) return issues;
  for (const key of Object.keys(labels)) {
    const value = labels[key] as string;
    for (const complaint of checkQualifiedName(key)) issues.push(invalid(path, key, complaint));
    for (const complaint of checkLabelValue(value)) issues.push(invalid(path, value, complaint));
  }
  return issues;
}

/** Validates a subdomain of at least three labels, such as the name of a CRD. */
export function validateFullyQualifiedName(name: string, path: FieldPath | undefined): FieldIssue[] {
  if (name === '') return [required(path, '')];
  const complaints = checkDns1123Subdomain(name);
  if (complaints.length > 0) return [invalid(path, name, complaints.join(','))];
  if (name.split('.').length < 3)
    return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
  return [];
}

/** Validates a domain of at least two labels, optionally with a trailing dot. */
export function validateFullyQualifiedDomainName(name: string, path: FieldPath | undefined): FieldIssue[] {
  if (name === '') return [required(path, '')];
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const complaints = checkDns1123Subdomain(domain);
  if (complaints.length > 0) return [invalid(path, domain, complaints.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2)
    return [invalid(path, domain, 'should be a domain with at least two segments separated by dots')];
  for (const label of labels) {
    const wrong = checkDns1123Label(label);
    if (wrong.length > 0) return [invalid(path, label, wrong.join(','))];
  }
  return [];
}

/** Validates a subdomain, `/`, and characters of an HTTP path, such as the name of a controller. */
export function validateDomainPrefixedPath(text: string, path: FieldPath | undefined): FieldIssue[] {
  if (text === '') return [required(path, '')];
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1)
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const host = text.slice(0, slash);
  const rest = text.slice(slash + 1);
  const issues = checkDns1123Subdomain(host).map((complaint) => invalid(path, host, complaint));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest))
    issues.push(invalid(path, rest, patternText('Invalid path', "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")));
  return issues;
}

/** Validates a qualified name with a required prefix. */
export function validateDomainPrefixedKey(key: string, path: FieldPath | undefined): FieldIssue[] {
  if (key === '') return [required(path, '')];
  const issues = validateLabelName(key, path);
  if (issues.length > 0 || key.includes('/')) return issues;
  return [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
