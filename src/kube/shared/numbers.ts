/** Reading and validation of integer fields. */
import { fieldAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

type Whole = number | bigint;

/** An absent value is valid. */
export function validateNonnegative(value: Whole | undefined, path: FieldPath): FieldIssue[] {
  return value === undefined || value >= 0 ? [] : [invalid(path, value, 'must be greater than or equal to 0')];
}

/** An absent value is valid. */
export function validatePositive(value: Whole | undefined, path: FieldPath): FieldIssue[] {
  return value === undefined || value > 0 ? [] : [invalid(path, value, 'must be greater than 0')];
}

/** The integer at a path. Undefined if absent: for fields that are pointers in Go, where absent differs from zero. */
export function wholeAt(object: JsonObject, ...path: readonly string[]): Whole | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** Like `wholeAt`, for an int32 field. */
export function int32At(object: JsonObject, ...path: readonly string[]): number | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** Reports the fields that are negative, in the order of `names`. `path` is the path of `object`. */
export function validateNonnegativeFields(object: JsonObject, names: readonly string[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const name of names) {
    const value = wholeAt(object, name);
    if (value !== undefined && value < 0) issues.push(...validateNonnegative(value, path.child(name)));
  }
  return issues;
}
