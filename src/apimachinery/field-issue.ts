/** A finding of validation, as data; the text is made last, by `formatIssue`. */
import type { JsonValue } from '../base/json-value.ts';
import type { FieldPath } from './field-path.ts';

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
  | 'InternalError'
  | 'FieldValueTypeInvalid';

export interface FieldIssue {
  readonly reason: IssueReason;
  /** Where; undefined for the object as a whole (printed as `<nil>`). */
  readonly path: FieldPath | undefined;
  readonly value: JsonValue | undefined;
  readonly detail: string;
}
