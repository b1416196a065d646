/**
 * Field issues: the findings of validation as data. `formatIssue` prints them with the texts of the reference's field
 * errors.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { formatAggregate, formatJson, formatNumber, quote } from '../go-format.ts';
import { type FieldPath, formatPath } from './field-path.ts';

/** The reference's reasons of field errors, as in `details.causes[].reason`. */
export type IssueReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

export interface FieldIssue {
  readonly reason: IssueReason;
  /** The path of the field; undefined for the whole object (printed as `<nil>`). */
  readonly path: FieldPath | undefined;
  /** The offending value; undefined if the text omits it. A nil pointer of the reference is `null`. */
  readonly value: JsonValue | undefined;
  /** The explanation; may be ''. */
  readonly detail: string;
  /** Whether the reference holds the value in a declared type. See `declared`. */
  readonly declared?: boolean;
}

/** The title of each reason, and whether its text shows the value. */
const WORDING: Readonly<Record<IssueReason, { readonly title: string; readonly showsValue: boolean }>> = {
  FieldValueNotFound: { title: 'Not found', showsValue: true },
  FieldValueRequired: { title: 'Required value', showsValue: false },
  FieldValueDuplicate: { title: 'Duplicate value', showsValue: true },
  FieldValueInvalid: { title: 'Invalid value', showsValue: true },
  FieldValueNotSupported: { title: 'Unsupported value', showsValue: true },
  FieldValueForbidden: { title: 'Forbidden', showsValue: false },
  FieldValueTooLong: { title: 'Too long', showsValue: false },
  FieldValueTooMany: { title: 'Too many', showsValue: true },
  FieldValueTooFew: { title: 'Too few', showsValue: true },
  FieldValueTooShort: { title: 'Too short', showsValue: false },
  InternalError: { title: 'Internal error', showsValue: false },
  FieldValueTypeInvalid: { title: 'Invalid value', showsValue: true },
};

/** Reports a value that refers to something that does not exist. */
export function notFound(path: FieldPath | undefined, value: JsonValue | undefined): FieldIssue {
  return { reason: 'FieldValueNotFound', path, value, detail: '' };
}

/** Reports a required value that is missing or empty. */
export function required(path: FieldPath | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueRequired', path, value: undefined, detail };
}

/** Reports a second occurrence of a value that must be unique. */
export function duplicate(path: FieldPath | undefined, value: JsonValue | undefined): FieldIssue {
  return { reason: 'FieldValueDuplicate', path, value, detail: '' };
}

/** Reports a malformed value. */
export function invalid(path: FieldPath | undefined, value: JsonValue | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueInvalid', path, value, detail };
}

/** Reports each complaint about a value as one issue of its own. */
export function complain(complaints: readonly string[], value: JsonValue, path: FieldPath): FieldIssue[] {
  return complaints.map((complaint) => invalid(path, value, complaint));
}

/** Reports a value that is not in an enumeration. The text lists `supported` in the given order, if it is not empty. */
export function notSupported(
  path: FieldPath | undefined,
  value: JsonValue | undefined,
  supported: readonly string[],
): FieldIssue {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  return { reason: 'FieldValueNotSupported', path, value, detail };
}

/** Reports a well-formed value that is not allowed under the current conditions. */
export function forbidden(path: FieldPath | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueForbidden', path, value: undefined, detail };
}

/**
 * Reports a value of more than `max` bytes. The text never shows the value. A negative `max` is left out of the text.
 */
export function tooLong(path: FieldPath | undefined, _value: JsonValue | undefined, max: number): FieldIssue {
  const detail = max < 0 ? 'value is too long' : `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { reason: 'FieldValueTooLong', path, value: undefined, detail };
}

/** Reports a list of more than `max` items. A negative `actual` or `max` is left out of the text. */
export function tooMany(path: FieldPath | undefined, actual: number, max: number): FieldIssue {
  const detail = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', path, value: actual < 0 ? undefined : actual, detail };
}

/** Reports a value whose type is not that of the schema. */
export function typeInvalid(path: FieldPath | undefined, value: JsonValue | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueTypeInvalid', path, value, detail };
}

/** Reports that validation itself failed. `message` is the text of that failure. */
export function internalError(path: FieldPath | undefined, message: string): FieldIssue {
  return { reason: 'InternalError', path, value: undefined, detail: message };
}

/**
 * Returns the issue with its value printed as one of a declared type: as JSON with its keys in the given order, which
 * must be that of the declaration. Otherwise strings are quoted as by `%q` and keys are sorted, as for free-form
 * values. Use this function where the Go field has a named type (`type Protocol string`) or is a struct, not for plain
 * strings and map values.
 */
export function declared(issue: FieldIssue): FieldIssue {
  return { ...issue, declared: true };
}

/** The text of an issue: path and body. */
export function formatIssue(issue: FieldIssue): string {
  return `${formatPath(issue.path)}: ${formatIssueBody(issue)}`;
}

/** The text of an issue without its path, as in `details.causes[].message`. */
export function formatIssueBody(issue: FieldIssue): string {
  const { title, showsValue } = WORDING[issue.reason];
  const shown =
    showsValue && issue.value !== undefined ? `${title}: ${formatValue(issue.value, issue.declared === true)}` : title;
  return issue.detail === '' ? shown : `${shown}: ${issue.detail}`;
}

/**
 * Appends issues to a list. `list.push(...issues)` would fail: there may be more issues than a call can have arguments.
 */
export function addIssues(to: FieldIssue[], more: readonly FieldIssue[]): void {
  for (const issue of more) to.push(issue);
}

/** Returns the text of several issues: in brackets if there are several, without repeated texts, '' for none. */
export function formatIssues(issues: readonly FieldIssue[]): string {
  return formatAggregate(issues.map(formatIssue));
}

function formatValue(value: JsonValue, isDeclared: boolean): string {
  if (isDeclared) return formatJson(value, true);
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
    case 'bigint':
      return formatNumber(value);
    default:
      return formatJson(value);
  }
}
