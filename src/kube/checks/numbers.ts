/** Numbers in specs. Invariant: pure; the texts are the reference's. */
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';

type Whole = number | bigint;

/** An absent value is not judged. */
export function validateNonnegative(value: Whole | undefined, path: FieldPath): FieldIssue[] {
  return value === undefined || value >= 0 ? [] : [invalid(path, value, 'must be greater than or equal to 0')];
}

/** An absent value is not judged. */
export function validatePositive(value: Whole | undefined, path: FieldPath): FieldIssue[] {
  return value === undefined || value > 0 ? [] : [invalid(path, value, 'must be greater than 0')];
}
