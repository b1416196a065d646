/** Validation of a pod's tolerations. */
import { fieldAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { parseGoInt } from '../../../../../apimachinery/scalars/go-number.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkLabelValue, validateLabelName } from '../../../../../apimachinery/validation/label-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';

export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** `allowComparison`: accepts the operators Lt and Gt, whose feature gate is off, because the stored object has one. */
export function validateTolerations(
  tolerations: readonly JsonObject[],
  path: FieldPath,
  allowComparison = false,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  tolerations.forEach((toleration, i) => {
    const at = path.index(i);
    const key = textAt(toleration, 'key');
    const operator = textAt(toleration, 'operator');
    const effect = textAt(toleration, 'effect');
    if (key !== '') addIssues(issues, validateLabelName(key, at.child('key')));
    else if (operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      issues.push(declared(invalid(at.child('operator'), operator, detail)));
    }
    if (fieldAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute')
      issues.push(
        declared(invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")),
      );
    addIssues(issues, validateValue(operator, textAt(toleration, 'value'), at, allowComparison));
    if (effect !== '' && !TAINT_EFFECTS.includes(effect))
      issues.push(declared(notSupported(at.child('effect'), effect, TAINT_EFFECTS)));
  });
  return issues;
}

function validateValue(operator: string, value: string, path: FieldPath, allowComparison: boolean): FieldIssue[] {
  const at = path.child('operator');
  switch (operator) {
    case '':
    case 'Equal': {
      const complaints = checkLabelValue(value);
      return complaints.length === 0 ? [] : [invalid(at, value, complaints.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      if (!allowComparison) return [declared(notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt']))];
      return validateNumber(value, path.child('value'));
    default:
      return [declared(notSupported(at, operator, ['Equal', 'Exists']))];
  }
}

function validateNumber(value: string, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (value === '') issues.push(invalid(path, value, 'must be non-empty'));
  else if (!/^(?:0|-?[1-9][0-9]*)$/.test(value))
    issues.push(invalid(path, value, 'must be a valid decimal integer in canonical form'));
  const parsed = parseGoInt(value, 'ParseInt', 64);
  if (!parsed.ok) issues.push(invalid(path, value, parsed.message));
  return issues;
}
