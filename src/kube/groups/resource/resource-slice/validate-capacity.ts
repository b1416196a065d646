/**
 * Validation of the capacities of devices and of their request policies. Quantities are compared exactly, steps as
 * integers.
 */
import { fieldAt, listAt, objectAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import { formatQuantity, type Quantity } from '../../../../apimachinery/scalars/quantity.ts';
import { addQuantity, compareQuantity, quantityValue } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  required,
  tooMany,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { amountOf } from '../../../shared/resource-lists.ts';

const MAX_VALUES = 10;

/** `shared` is the device's allowMultipleAllocations, which a request policy requires. */
export function validateCapacity(capacity: JsonObject, shared: boolean, path: FieldPath): FieldIssue[] {
  const policy = objectAt(capacity, 'requestPolicy');
  if (policy === undefined) return [];
  const at = path.child('requestPolicy');
  if (!shared) return [forbidden(at, 'allowMultipleAllocations must be true')];
  const hasValues = listAt(policy, 'validValues').length > 0;
  const range = objectAt(policy, 'validRange');
  if (hasValues && range !== undefined)
    return [
      forbidden(
        at,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  const name = hasValues ? 'validValues' : 'validRange';
  if (!hasValues && range === undefined) return [];
  const given = amountAt(policy, 'default');
  if (given === undefined) return [required(at.child('default'), `required when ${name} is defined`)];
  const limit = amountOf(fieldAt(capacity, 'value'));
  if (range !== undefined) return validateRange(range, given, limit, at.child(name));
  return validateValues(textsAt(policy, 'validValues').map(amountOf), given, limit, at.child(name));
}

function amountAt(object: JsonObject, name: string): Quantity | undefined {
  const value = fieldAt(object, name);
  return value === undefined ? undefined : amountOf(value);
}

function validateValues(values: readonly Quantity[], given: Quantity, limit: Quantity, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const [i, value] of values.entries()) {
    const before = values[i - 1];
    if (before !== undefined && compareQuantity(before, value) > 0)
      issues.push(invalid(path.index(i), formatQuantity(value), 'values must be sorted in ascending order'));
  }
  const isTooLong = values.length > MAX_VALUES;
  if (isTooLong) issues.push(tooMany(path, values.length, MAX_VALUES));
  else addIssues(issues, validateEach(values, limit, path));
  if (isTooLong || !values.some((value) => compareQuantity(value, given) === 0))
    issues.push(invalid(path, formatQuantity(given), 'default value is not valid according to the requestPolicy'));
  return issues;
}

function validateEach(values: readonly Quantity[], limit: Quantity, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  for (const [i, value] of values.entries())
    if (compareQuantity(value, limit) > 0)
      issues.push(
        invalid(path.index(i), formatQuantity(value), `option is larger than capacity value: ${formatQuantity(limit)}`),
      );
  const seen = new Set<bigint>();
  for (const [i, value] of values.entries()) {
    const whole = quantityValue(value);
    if (seen.has(whole)) issues.push(duplicate(path.index(i), String(whole)));
    seen.add(whole);
  }
  return issues;
}

function validateRange(range: JsonObject, given: Quantity, limit: Quantity, path: FieldPath): FieldIssue[] {
  const min = amountAt(range, 'min');
  if (min === undefined) return [required(path.child('min'), 'required when validRange is defined')];
  const issues: FieldIssue[] = [];
  const tell = (name: string, shown: Quantity, text: string, other: Quantity): void => {
    issues.push(invalid(path.child(name), formatQuantity(shown), `${text}: ${formatQuantity(other)}`));
  };
  if (compareQuantity(min, limit) > 0) tell('min', min, 'min is larger than capacity value', limit);
  if (compareQuantity(given, min) < 0) tell('min', given, 'default is less than min', min);
  const max = amountAt(range, 'max');
  if (max !== undefined) {
    if (compareQuantity(min, max) > 0) tell('max', min, 'min is larger than max', max);
    if (compareQuantity(max, limit) > 0) tell('max', max, 'max is larger than capacity value', limit);
    if (compareQuantity(given, max) > 0) tell('max', given, 'default is more than max', max);
  }
  const step = amountAt(range, 'step');
  if (step === undefined) return issues;
  const next = addQuantity(min, step);
  if (compareQuantity(next, limit) > 0)
    tell('step', step, `one step ${formatQuantity(next)} is larger than capacity value`, limit);
  for (const value of max === undefined ? [given] : [given, max])
    if (!isOnStep(value, min, step))
      issues.push(
        invalid(
          path.child('step'),
          formatQuantity(value),
          `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`,
        ),
      );
  return issues;
}

/** Reports whether `value` is `min` plus a multiple of `step`. False for a step of zero. */
function isOnStep(value: Quantity, min: Quantity, step: Quantity): boolean {
  const whole = quantityValue(step);
  return whole !== 0n && (quantityValue(value) - quantityValue(min)) % whole === 0n;
}
