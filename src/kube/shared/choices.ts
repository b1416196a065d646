/** Texts of which there are few. Invariant: pure; the texts are the reference's. */
import { fieldAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, notSupported, required } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** Adds an issue if a field is empty or none of its choices. `path` is that of the object which holds it. */
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

/** A text of an enumeration; an absent one is not judged. */
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
