/** Counters that devices share. Invariant: pure; the issues are the reference's; any amount is a good one. */
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, required, tooMany } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { validateLabel } from './names.ts';

const MAX_COUNTERS = 32;

/** A set of counters, by its name: of a slice, or what a device takes of one. */
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
