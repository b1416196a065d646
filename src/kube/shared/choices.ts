/**
 * Validation of enumerated string fields. For an entry of a map use `notSupported` with `path.key(name)`, because its
 * path has brackets.
 */
import { fieldAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, notSupported, required } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** Adds an issue if the field is empty or not one of the choices. `path` is the path of `object`. */
export function validateChoice(
  object: JsonObject,
  field: string,
  choices: readonly string[],
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const value = textAt(object, field);
  if (value === '') issues.push(required(path.child(field), ''));
  else if (!choices.includes(value)) issues.push(declared(notSupported(path.child(field), value, choices)));
}

/** Reports a value that is not one of the choices. Ignores an absent field. `path` is the path of `object`. */
export function validateOptionalChoice(
  object: JsonObject,
  field: string,
  choices: readonly string[],
  path: FieldPath,
): FieldIssue[] {
  const value = fieldAt(object, field);
  if (typeof value !== 'string' || choices.includes(value)) return [];
  return [declared(notSupported(path.child(field), value, choices))];
}
