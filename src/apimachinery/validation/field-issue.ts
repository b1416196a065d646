/**
 * A finding of validation, as data; the text is made last, by `formatIssue`. Invariant: the texts are those of the reference's field errors, value included.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { formatJson, formatNumber, quote } from '../go-format.ts';
import { type FieldPath, formatPath } from './field-path.ts';

/** The reference's reasons of a field error, as they appear in `details.causes[].reason`. */
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
  /** Where; undefined for the object as a whole (printed as `<nil>`). */
  readonly path: FieldPath | undefined;
  /** The offending value; undefined where the text leaves it out. An absent pointer of the reference is `null`. */
  readonly value: JsonValue | undefined;
  /** What is wrong with it; may be empty. */
  readonly detail: string;
  /** True where the reference holds the value in a declared type; see `declared`. */
  readonly declared?: boolean;
}

/** What each reason is called in texts, and whether the text shows the value. */
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

/** A value that refers to something which does not exist. */
export function notFound(path: FieldPath | undefined, value: JsonValue | undefined): FieldIssue {
  return { reason: 'FieldValueNotFound', path, value, detail: '' };
}

/** A value that must be given is missing or empty. */
export function required(path: FieldPath | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueRequired', path, value: undefined, detail };
}

/** A value that must be unique occurs again. */
export function duplicate(path: FieldPath | undefined, value: JsonValue | undefined): FieldIssue {
  return { reason: 'FieldValueDuplicate', path, value, detail: '' };
}

/** A malformed value. */
export function invalid(path: FieldPath | undefined, value: JsonValue | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueInvalid', path, value, detail };
}

/** One issue for each complaint about a value. */
export function complain(complaints: readonly string[], value: JsonValue, path: FieldPath): FieldIssue[] {
  return complaints.map((complaint) => invalid(path, value, complaint));
}

/** A value outside an enumeration; the text lists `supported` in the order given, or nothing if it is empty. */
export function notSupported(
  path: FieldPath | undefined,
  value: JsonValue | undefined,
  supported: readonly string[],
): FieldIssue {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  return { reason: 'FieldValueNotSupported', path, value, detail };
}

/** A well-formed value that is not allowed under present conditions. */
export function forbidden(path: FieldPath | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueForbidden', path, value: undefined, detail };
}

/** More than `max` bytes; the text never shows the value. A negative `max` is left out of the text. */
export function tooLong(path: FieldPath | undefined, _value: JsonValue | undefined, max: number): FieldIssue {
  const detail = max < 0 ? 'value is too long' : `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { reason: 'FieldValueTooLong', path, value: undefined, detail };
}

/** More than `max` items. A negative `actual` or `max` is left out of the text. */
export function tooMany(path: FieldPath | undefined, actual: number, max: number): FieldIssue {
  const detail = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', path, value: actual < 0 ? undefined : actual, detail };
}

/** A value of another type than the schema says. */
export function typeInvalid(path: FieldPath | undefined, value: JsonValue | undefined, detail: string): FieldIssue {
  return { reason: 'FieldValueTypeInvalid', path, value, detail };
}

/** Validation itself failed; `message` is the text of that failure. */
export function internalError(path: FieldPath | undefined, message: string): FieldIssue {
  return { reason: 'InternalError', path, value: undefined, detail: message };
}

/**
 * The same issue, its value printed as one of a declared type: JSON whose keys stand as they are (put them in the order of the
 * declaration). Without it text is quoted as `%q` does and keys are sorted, which is how free-form values print.
 */
export function declared(issue: FieldIssue): FieldIssue {
  return { ...issue, declared: true };
}

/** The text of an issue: path, then body. */
export function formatIssue(issue: FieldIssue): string {
  return `${formatPath(issue.path)}: ${formatIssueBody(issue)}`;
}

/** The text of an issue without its path, as it stands in `details.causes[].message`. */
export function formatIssueBody(issue: FieldIssue): string {
  const { title, showsValue } = WORDING[issue.reason];
  const shown =
    showsValue && issue.value !== undefined ? `${title}: ${formatValue(issue.value, issue.declared === true)}` : title;
  return issue.detail === '' ? shown : `${shown}: ${issue.detail}`;
}

/** Adds issues to a list. There may be hundreds of thousands, which is more than a call takes arguments. */
export function addIssues(to: FieldIssue[], more: readonly FieldIssue[]): void {
  for (const issue of more) to.push(issue);
}

/** The text of several issues: alone as it is, more in brackets, repeated texts once; empty for none. */
export function formatIssues(issues: readonly FieldIssue[]): string {
  const texts = [...new Set(issues.map(formatIssue))];
  return texts.length < 2 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
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
