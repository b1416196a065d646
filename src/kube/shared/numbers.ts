/** Numbers in specs. Invariant: pure; the texts are the reference's. */
import { fieldAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

type Whole = number | bigint;

/** An absent value is not judged. */
export function validateNonnegative(value: Whole | undefined, path: FieldPath): FieldIssue[] {
  return value === undefined || value >= 0 ? [] : [invalid(path, value, 'must be greater than or equal to 0')];
}

/** An absent value is not judged. */
export function validatePositive(value: Whole | undefined, path: FieldPath): FieldIssue[] {
  return value === undefined || value > 0 ? [] : [invalid(path, value, 'must be greater than 0')];
}

/** The number in a field; undefined if it is absent, which is not zero where a pointer is declared. */
export function wholeAt(object: JsonObject, ...path: readonly string[]): Whole | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** As `wholeAt`, for a field of 32 bits. */
export function int32At(object: JsonObject, ...path: readonly string[]): number | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** Those of these fields that are negative, in their order. `path` is that of the object which holds them. */
export function validateNonnegativeFields(object: JsonObject, names: readonly string[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const name of names) {
    const value = wholeAt(object, name);
    if (value !== undefined && value < 0) issues.push(...validateNonnegative(value, path.child(name)));
  }
  return issues;
}
