/** Validation of HorizontalPodAutoscalers. Issues name the fields of autoscaling/v2 in every version. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { quantitySign } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../../apimachinery/scalars/quantity-parse.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { metaFacts, specOf } from '../../../server/resource/strategy-fields.ts';
import { int32At, validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { METADATA, SPEC, STATUS, statusOf } from '../../shared/workload-rules.ts';
import {
  type ReferenceRules,
  referenceVersionProblem,
  validateMetrics,
  validateReference,
} from './autoscaler-metrics.ts';

const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;
const SELECTS = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];

export function validateAutoscaler(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateSpec(specOf(object), undefined),
  ];
}

export function validateAutoscalerUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateMetaUpdate(object, old), ...validateSpec(specOf(object), specOf(old))];
}

export function validateAutoscalerStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(object, old),
    ...validateNonnegativeFields(statusOf(object), ['currentReplicas', 'desiredReplicas'], STATUS),
  ];
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const min = int32At(spec, 'minReplicas');
  const max = int32At(spec, 'maxReplicas') ?? 0;
  // The feature gate HPAScaleToZero is off; a stored zero may stay.
  const lowest = old !== undefined && int32At(old, 'minReplicas') === 0 ? 0 : 1;
  if (min !== undefined && min < lowest)
    issues.push(invalid(SPEC.child('minReplicas'), min, `must be greater than or equal to ${lowest}`));
  if (max === 0) issues.push(required(SPEC.child('maxReplicas'), 'must be set and greater than 0'));
  else if (max < 0) issues.push(invalid(SPEC.child('maxReplicas'), max, 'must be greater than or equal to 1'));
  if (min !== undefined && max < min)
    issues.push(invalid(SPEC.child('maxReplicas'), max, 'must be greater than or equal to `minReplicas`'));
  const target = objectAt(spec, 'scaleTargetRef') ?? {};
  issues.push(...validateReference(target, SPEC.child('scaleTargetRef'), targetRules(target, old)));
  addIssues(issues, validateMetrics(objectsAt(spec, 'metrics'), SPEC.child('metrics'), min, metricRules(old)));
  const behavior = objectAt(spec, 'behavior') ?? {};
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = objectAt(behavior, name);
    if (rules !== undefined) addIssues(issues, validateScalingRules(rules, SPEC.child('behavior', name)));
  }
  return issues;
}

function targetRules(target: JsonObject, old: JsonObject | undefined): ReferenceRules {
  const before = old === undefined ? undefined : (objectAt(old, 'scaleTargetRef') ?? {});
  const isSameKind =
    before !== undefined &&
    textAt(before, 'apiVersion') === textAt(target, 'apiVersion') &&
    textAt(before, 'kind') === textAt(target, 'kind');
  // ReplicationController is the only scalable kind of the core group.
  return { anyVersion: isSameKind, coreGroup: textAt(target, 'kind') === 'ReplicationController' };
}

function metricRules(old: JsonObject | undefined): ReferenceRules {
  const rules = { anyVersion: false, coreGroup: true };
  const isBadAlready = objectsAt(old ?? {}, 'metrics').some((metric) => {
    const described = objectAt(metric, 'object', 'describedObject');
    const isObject = textAt(metric, 'type') === 'Object' && objectAt(metric, 'object') !== undefined;
    return isObject && referenceVersionProblem(described ?? {}, rules) !== undefined;
  });
  return { ...rules, anyVersion: isBadAlready };
}

function validateScalingRules(rules: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const window = int32At(rules, 'stabilizationWindowSeconds');
  const at = path.child('stabilizationWindowSeconds');
  if (window !== undefined && window < 0) issues.push(invalid(at, window, 'must be greater than or equal to zero'));
  if (window !== undefined && window > MAX_WINDOW_SECONDS)
    issues.push(invalid(at, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  const select = fieldAt(rules, 'selectPolicy');
  if (typeof select === 'string' && !SELECTS.includes(select))
    issues.push(declared(notSupported(path.child('selectPolicy'), select, SELECTS)));
  const policies = objectsAt(rules, 'policies');
  if (policies.length === 0) issues.push(required(path.child('policies'), 'must specify at least one Policy'));
  policies.forEach((policy, i) => {
    addIssues(issues, validatePolicy(policy, path.child('policies').index(i)));
  });
  const tolerance = textAt(rules, 'tolerance');
  const parsed = parseQuantity(tolerance);
  if (parsed.ok && quantitySign(parsed.value) < 0)
    issues.push(invalid(path.child('tolerance'), tolerance, 'must be greater than or equal to 0'));
  return issues;
}

function validatePolicy(policy: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(policy, 'type');
  if (!POLICY_TYPES.includes(type)) issues.push(declared(notSupported(path.child('type'), type, POLICY_TYPES)));
  for (const name of ['value', 'periodSeconds']) {
    const value = int32At(policy, name) ?? 0;
    if (value <= 0) issues.push(invalid(path.child(name), value, 'must be greater than zero'));
  }
  const period = int32At(policy, 'periodSeconds') ?? 0;
  if (period > MAX_PERIOD_SECONDS)
    issues.push(invalid(path.child('periodSeconds'), period, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  return issues;
}
