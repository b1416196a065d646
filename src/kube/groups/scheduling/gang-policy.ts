/**
 * Rules that Workload and PodGroup share. Fields whose feature gates are off (constraints, claims, disruption,
 * priority) are dropped unless they are stored, and are not validated.
 */
import { fieldAt, numberAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { Complaints } from '../../../apimachinery/validation/name-syntax.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';

const GATED_FIELDS = ['schedulingConstraints', 'resourceClaims', 'disruptionMode', 'priorityClassName', 'priority'];

/**
 * Drops the gated fields that `stored` does not have. Fields in `nullable` become null instead: their type always
 * writes them.
 */
export function dropGatedFields(spec: JsonObject, stored: JsonObject | undefined, nullable: readonly string[]): void {
  for (const name of GATED_FIELDS) {
    if (stored !== undefined && fieldAt(stored, name) !== undefined) continue;
    if (nullable.includes(name)) spec[name] = null;
    else delete spec[name];
  }
}

/** Exactly one of `basic` and `gang` must be set, and a gang needs a minCount. */
export function validateSchedulingPolicy(policy: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateOneOf(policy, ['basic', 'gang'], path);
  const gang = objectAt(policy, 'gang');
  if (gang === undefined) return issues;
  const count = numberAt(gang, 'minCount');
  if (count === 0) issues.push(required(path.child('gang', 'minCount'), ''));
  else if (count < 1) issues.push(invalid(path.child('gang', 'minCount'), count, 'must be greater than or equal to 1'));
  return issues;
}

/** Exactly one of `fields` must be set. */
export function validateOneOf(object: JsonObject, fields: readonly string[], path: FieldPath): FieldIssue[] {
  const set = fields.filter((name) => fieldAt(object, name) !== undefined);
  if (set.length === 1) return [];
  const all = fields.map((name) => `\`${name}\``).join(', ');
  if (set.length === 0) return [invalid(path, '', `must specify one of: ${all}`)];
  return [invalid(path, `{${set.join(', ')}}`, `must specify exactly one of: ${all}`)];
}

export function validateRequiredText(
  object: JsonObject,
  name: string,
  check: (text: string) => Complaints,
  path: FieldPath,
): FieldIssue[] {
  const text = textAt(object, name);
  if (text === '') return [required(path.child(name), '')];
  return check(text).map((complaint) => invalid(path.child(name), text, complaint));
}

/** Reports those of the named spec fields that changed. */
export function validateUnchanged(
  object: JsonObject,
  old: JsonObject,
  names: readonly string[],
  path: FieldPath,
): FieldIssue[] {
  return names
    .filter((name) => !equalJson(fieldAt(object, 'spec', name) ?? null, fieldAt(old, 'spec', name) ?? null))
    .map((name) => invalid(path.child(name), null, FIELD_IMMUTABLE));
}
