/** Validation of fields that are an integer or a percentage, such as `maxSurge` and `minAvailable`. */
import { type IntOrString, intValue } from '../../apimachinery/scalars/int-or-string.ts';
import { declared, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkPercent } from '../../apimachinery/validation/name-syntax.ts';
import { validateNonnegative } from './numbers.ts';

/** Reports a negative integer and a string that is not a percentage. Ignores an absent value. */
export function validateNonnegativeIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldIssue[] {
  if (typeof value === 'string')
    return checkPercent(value).map((complaint) => declared(invalid(path, value, complaint)));
  return validateNonnegative(value, path);
}

/** Reports a percentage above 100. Ignores integers and malformed strings: other checks report those. */
export function validateAtMost100Percent(value: IntOrString | undefined, path: FieldPath): FieldIssue[] {
  if (typeof value !== 'string' || !isPercent(value) || percentOf(value) <= 100) return [];
  return [declared(invalid(path, value, 'must not be greater than 100%'))];
}

/** The integer, or the number before the percent sign. 0 for an absent value and for malformed strings. */
export function intOrPercentValue(value: IntOrString | undefined): number {
  if (value === undefined) return 0;
  return typeof value === 'string' && isPercent(value) ? percentOf(value) : intValue(value);
}

function isPercent(text: string): boolean {
  return checkPercent(text).length === 0;
}

function percentOf(text: string): number {
  return intValue(text.slice(0, -1));
}
