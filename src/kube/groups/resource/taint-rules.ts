/** Defaults and validation of device taints and of tolerations. */
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatTime, instantFromMillis } from '../../../apimachinery/scalars/time.ts';
import {
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkLabelValue, validateLabelName } from '../../../apimachinery/validation/label-syntax.ts';
import type { Clock } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { validateChoice } from '../../shared/choices.ts';

const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const OPERATORS = ['Equal', 'Exists'];

/** The part of the clock that defaults use. */
export type WallClock = Pick<Clock, 'now'>;

/** Returns the present time in whole seconds, as taints store it. */
export function presentTime(clock: WallClock): string {
  return formatTime(instantFromMillis(Math.floor(clock.now() / 1000) * 1000));
}

/**
 * A taint without a time gets the present one, as in kube-apiserver, so decoding one body twice can give two results.
 */
export function setTaintDefaults(taint: JsonObject, clock: WallClock): void {
  if (fieldAt(taint, 'timeAdded') === undefined) taint['timeAdded'] = presentTime(clock);
}

/** `old` is the stored taint at this place; its effect may stay even if it is invalid. */
export function validateTaint(taint: JsonObject, path: FieldPath, old?: JsonObject): FieldIssue[] {
  const issues = validateLabelName(textAt(taint, 'key'), path.child('key'));
  issues.push(...validateValue(textAt(taint, 'value'), path));
  const effect = textAt(taint, 'effect');
  if (old !== undefined && textAt(old, 'effect') === effect) return issues;
  validateChoice(taint, 'effect', EFFECTS, path, issues);
  return issues;
}

export function validateTolerations(owner: JsonObject, path: FieldPath): FieldIssue[] {
  return objectsAt(owner, 'tolerations').flatMap((toleration, i) =>
    validateToleration(toleration, path.child('tolerations').index(i)),
  );
}

function validateToleration(toleration: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const key = textAt(toleration, 'key');
  if (key !== '') issues.push(...validateLabelName(key, path.child('key')));
  const operator = textAt(toleration, 'operator');
  const value = textAt(toleration, 'value');
  if (operator === 'Exists') {
    if (value !== '') issues.push(invalid(path.child('value'), value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') issues.push(...validateValue(value, path));
  else if (operator === '') issues.push(required(path.child('operator'), ''));
  else issues.push(declared(notSupported(path.child('operator'), operator, OPERATORS)));
  const effect = textAt(toleration, 'effect');
  if (effect !== '') issues.push(...validateEffect(effect, path));
  return issues;
}

function validateValue(value: string, path: FieldPath): FieldIssue[] {
  return checkLabelValue(value).map((complaint) => invalid(path.child('value'), value, complaint));
}

function validateEffect(effect: string, path: FieldPath): FieldIssue[] {
  return EFFECTS.includes(effect) ? [] : [declared(notSupported(path.child('effect'), effect, EFFECTS))];
}
