/** Validation of lists with a maximum length. A list that is too long has one issue; its items are not validated. */
import { declared, duplicate, type FieldIssue, tooMany } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonValue } from '../../../base/json-value.ts';

type ValidateItem<T> = (item: T, path: FieldPath) => readonly FieldIssue[];

/** `max` undefined means no limit. */
export function validateList<T>(
  items: readonly T[],
  max: number | undefined,
  path: FieldPath,
  validate: ValidateItem<T>,
): FieldIssue[] {
  if (max !== undefined && items.length > max) return [tooMany(path, items.length, max)];
  return items.flatMap((item, i) => validate(item, path.index(i)));
}

/**
 * As `validateList`, with unique keys. Repeated keys are reported last; `shown` returns the value in the issue, default
 * the key.
 */
export function validateSet<T>(
  items: readonly T[],
  max: number | undefined,
  path: FieldPath,
  validate: ValidateItem<T>,
  keyOf: (item: T) => string,
  shown: (item: T) => JsonValue = keyOf,
): FieldIssue[] {
  const issues = validateList(items, max, path, validate);
  if (max !== undefined && items.length > max) return issues;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) issues.push(declared(duplicate(path.index(i), shown(item))));
    seen.add(key);
  }
  return issues;
}
