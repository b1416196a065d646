/** Validation of counter sets. Counter values are not validated. */
import { objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, required, tooMany } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { validateLabel } from '../validate-names.ts';

const MAX_COUNTERS = 32;

/** `nameField` is `name` for a counter set of a slice and `counterSet` for the consumption of a device. */
export function validateCounters(set: JsonObject, nameField: 'name' | 'counterSet', path: FieldPath): FieldIssue[] {
  const name = textAt(set, nameField);
  const at = path.child(nameField);
  const issues = name === '' ? [required(at, '')] : validateLabel(name, at);
  const counters = Object.keys(objectAt(set, 'counters') ?? {});
  const countersPath = path.child('counters');
  if (counters.length === 0) issues.push(required(countersPath, ''));
  else if (counters.length > MAX_COUNTERS) issues.push(tooMany(countersPath, counters.length, MAX_COUNTERS));
  else for (const counter of counters) issues.push(...validateLabel(counter, countersPath));
  return issues;
}
