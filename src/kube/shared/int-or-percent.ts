/** Fields that are a number or a percentage (`maxSurge`, `minAvailable`). Invariant: pure; the texts are the reference's. */
import { type IntOrString, intValue } from '../../apimachinery/scalars/int-or-string.ts';
import { declared, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkPercent } from '../../apimachinery/validation/name-syntax.ts';
import { validateNonnegative } from './numbers.ts';

/** A number that is not negative, or text that is a percentage. An absent value is not judged. */
export function validateNonnegativeIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldIssue[] {
  if (typeof value === 'string')
    return checkPercent(value).map((complaint) => declared(invalid(path, value, complaint)));
  return validateNonnegative(value, path);
}

/** A percentage beyond 100. A plain number, and text that is no percentage, are not judged. */
export function validateAtMost100Percent(value: IntOrString | undefined, path: FieldPath): FieldIssue[] {
  if (typeof value !== 'string' || !isPercent(value) || percentOf(value) <= 100) return [];
  return [declared(invalid(path, value, 'must not be greater than 100%'))];
}

/** The number, or that of the percentage; 0 if absent and for other text. */
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
