/** Validation of `podFailurePolicy` and `successPolicy` of Jobs. */

import { quoteList } from '../../../../apimachinery/go-format.ts';
import { goPointer } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../../apimachinery/validation/label-syntax.ts';
import { isLongerThan } from '../../../../apimachinery/validation/text-rules.ts';
import type { JsonObject, JsonValue } from '../../../../base/json-value.ts';
import { batchShapes } from '../../../../kinds/shapes/batch.ts';
import { int32At, validateNonnegative } from '../../../shared/numbers.ts';
import { parseIndexes } from './job-indexes.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const MAX_INDEXES_BYTES = 64 * 1024;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** spec.podFailurePolicy as kube-apiserver's messages print it. */
export function shownFailurePolicy(spec: JsonObject): JsonValue {
  return goPointer(batchShapes, 'PodFailurePolicy', objectAt(spec, 'podFailurePolicy'));
}

/** spec.successPolicy as kube-apiserver's messages print it. */
export function shownSuccessPolicy(spec: JsonObject): JsonValue {
  return goPointer(batchShapes, 'SuccessPolicy', objectAt(spec, 'successPolicy'));
}

export function validateFailurePolicy(spec: JsonObject, policy: JsonObject, path: FieldPath): FieldIssue[] {
  const rules = objectsAt(policy, 'rules');
  const issues: FieldIssue[] = [];
  if (rules.length > MAX_RULES) issues.push(tooMany(path.child('rules'), rules.length, MAX_RULES));
  const names = new Set(
    ['containers', 'initContainers'].flatMap((list) =>
      objectsAt(spec, 'template', 'spec', list).map((container) => textAt(container, 'name')),
    ),
  );
  rules.forEach((rule, i) => {
    addIssues(issues, validateFailureRule(spec, rule, names, path.child('rules').index(i)));
  });
  return issues;
}

function validateFailureRule(
  spec: JsonObject,
  rule: JsonObject,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const action = textAt(rule, 'action');
  const at = path.child('action');
  if (action === '') issues.push(required(at, `valid values: ${quoteList(ACTIONS)}`));
  else if (action === 'FailIndex') {
    if (fieldAt(spec, 'backoffLimitPerIndex') === undefined)
      issues.push(declared(invalid(at, action, 'requires the backoffLimitPerIndex to be set')));
  } else if (!ACTIONS.includes(action)) issues.push(declared(notSupported(at, action, ACTIONS)));
  const codes = objectAt(rule, 'onExitCodes');
  const conditions = objectsAt(rule, 'onPodConditions');
  if (codes !== undefined) addIssues(issues, validateExitCodes(codes, names, path.child('onExitCodes')));
  if (conditions.length > 0) addIssues(issues, validateConditionPatterns(conditions, path.child('onPodConditions')));
  if (codes !== undefined && conditions.length > 0)
    issues.push(invalid(path, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (codes === undefined && conditions.length === 0)
    issues.push(invalid(path, undefined, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return issues;
}

function validateConditionPatterns(patterns: readonly JsonObject[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (patterns.length > MAX_CONDITIONS) issues.push(tooMany(path, patterns.length, MAX_CONDITIONS));
  patterns.forEach((pattern, i) => {
    const at = path.index(i);
    issues.push(...validateLabelName(textAt(pattern, 'type'), at.child('type')));
    const status = textAt(pattern, 'status');
    if (status === '') issues.push(required(at.child('status'), `valid values: ${quoteList(STATUSES)}`));
    else if (!STATUSES.includes(status)) issues.push(declared(notSupported(at.child('status'), status, STATUSES)));
  });
  return issues;
}

function validateExitCodes(codes: JsonObject, names: ReadonlySet<string>, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const operator = textAt(codes, 'operator');
  if (operator === '') issues.push(required(path.child('operator'), `valid values: ${quoteList(OPERATORS)}`));
  else if (!OPERATORS.includes(operator))
    issues.push(declared(notSupported(path.child('operator'), operator, OPERATORS)));
  const container = fieldAt(codes, 'containerName');
  if (typeof container === 'string' && !names.has(container))
    issues.push(
      invalid(
        path.child('containerName'),
        container,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  return [...issues, ...validateExitValues(listAt(codes, 'values'), operator, path.child('values'))];
}

function validateExitValues(values: readonly JsonValue[], operator: string, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (values.length === 0) issues.push(invalid(path, null, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) issues.push(tooMany(path, values.length, MAX_EXIT_CODES));
  const seen = new Set<JsonValue>();
  let isOrdered = true;
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0)
      issues.push(invalid(path.index(i), value, 'must not be 0 for the In operator'));
    if (seen.has(value)) issues.push(duplicate(path.index(i), value));
    seen.add(value);
    if (i > 0 && Number(values[i - 1]) > Number(value)) isOrdered = false;
  });
  if (!isOrdered) issues.push(invalid(path, [...values], 'must be ordered'));
  return issues;
}

/** `completions` is that of the Job, which must be Indexed. */
export function validateSuccessPolicy(policy: JsonObject, completions: number, path: FieldPath): FieldIssue[] {
  const rules = objectsAt(policy, 'rules');
  const issues: FieldIssue[] = [];
  const at = path.child('rules');
  if (rules.length === 0)
    issues.push(required(at, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > MAX_RULES) issues.push(tooMany(at, rules.length, MAX_RULES));
  rules.forEach((rule, i) => {
    addIssues(issues, validateSuccessRule(rule, completions, at.index(i)));
  });
  return issues;
}

function validateSuccessRule(rule: JsonObject, completions: number, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const indexes = fieldAt(rule, 'succeededIndexes');
  const count = int32At(rule, 'succeededCount');
  if (count === undefined && indexes === undefined)
    issues.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  let total: number | undefined;
  if (typeof indexes === 'string') {
    const at = path.child('succeededIndexes');
    if (isLongerThan(indexes, MAX_INDEXES_BYTES)) issues.push(tooLong(at, undefined, MAX_INDEXES_BYTES));
    const parsed = parseIndexes(indexes, completions);
    total = parsed.ok ? parsed.count : 0;
    if (!parsed.ok) issues.push(invalid(at, indexes, `error parsing succeededIndexes: ${parsed.message}`));
  }
  if (count === undefined) return issues;
  const at = path.child('succeededCount');
  issues.push(...validateNonnegative(count, at));
  const limit = (max: number, what: string): void => {
    if (count > max) issues.push(invalid(at, count, `must be less than or equal to ${max} (the number of ${what})`));
  };
  limit(completions, 'specified completions');
  if (total !== undefined) limit(total, 'indexes in the specified succeededIndexes field');
  return issues;
}
