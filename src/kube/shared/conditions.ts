/** Reading of status conditions, and validation of conditions of the type metav1.Condition. */
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../apimachinery/validation/label-syntax.ts';
import { isLongerThan, patternText } from '../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { wholeAt } from './numbers.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_RULE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

export function conditionsOf(object: JsonObject): readonly JsonObject[] {
  return objectsAt(object, 'status', 'conditions');
}

/** Whether the first condition of the type has the status True. */
export function isConditionTrue(object: JsonObject, type: string): boolean {
  const found = conditionsOf(object).find((condition) => textAt(condition, 'type') === type);
  return found !== undefined && textAt(found, 'status') === 'True';
}

/** Validates each condition, and that no type occurs twice. */
export function validateConditions(conditions: readonly JsonObject[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const types = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    const type = textAt(condition, 'type');
    if (types.has(type)) issues.push(duplicate(path.index(i).child('type'), type));
    types.add(type);
    addIssues(issues, validateCondition(condition, path.index(i)));
  }
  return issues;
}

function validateCondition(condition: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateLabelName(textAt(condition, 'type'), path.child('type'));
  const status = textAt(condition, 'status');
  if (!STATUSES.includes(status)) issues.push(declared(notSupported(path.child('status'), status, STATUSES)));
  const generation = wholeAt(condition, 'observedGeneration') ?? 0;
  if (generation < 0)
    issues.push(invalid(path.child('observedGeneration'), generation, 'must be greater than or equal to zero'));
  if (textAt(condition, 'lastTransitionTime') === '') issues.push(required(path.child('lastTransitionTime'), ''));
  const reason = textAt(condition, 'reason');
  if (reason === '') issues.push(required(path.child('reason'), ''));
  else issues.push(...validateReason(reason, path.child('reason')));
  if (isLongerThan(textAt(condition, 'message'), MAX_MESSAGE_BYTES))
    issues.push(tooLong(path.child('message'), undefined, MAX_MESSAGE_BYTES));
  return issues;
}

function validateReason(reason: string, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (!new RegExp(`^${REASON}$`).test(reason)) {
    const examples = ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'];
    issues.push(invalid(path, reason, patternText(REASON_RULE, REASON, ...examples)));
  }
  if (isLongerThan(reason, MAX_REASON_BYTES)) issues.push(tooLong(path, undefined, MAX_REASON_BYTES));
  return issues;
}
