/** Taints of devices, the tolerations of requests, and DeviceTaintRule. Invariant: pure; the issues are the reference's, in its order. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkLabelValue, validateLabelName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { keepStatus, metaFacts } from '../../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { presentTime, type WallClock } from './defaults.ts';
import { validateDriverName, validateLabel, validatePoolName } from './names.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const CONDITIONS = FieldPath.of('status', 'conditions');
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const OPERATORS = ['Equal', 'Exists'];
const MAX_CONDITIONS = 8;

/** `old`: the stored taint in its place, whose effect may stay whatever it is. */
export function validateTaint(taint: JsonObject, path: FieldPath, old?: JsonObject): FieldIssue[] {
  const issues = validateLabelName(textAt(taint, 'key'), path.child('key'));
  issues.push(...validateValue(textAt(taint, 'value'), path));
  const effect = textAt(taint, 'effect');
  if (old !== undefined && textAt(old, 'effect') === effect) return issues;
  if (effect === '') issues.push(required(path.child('effect'), ''));
  else issues.push(...validateEffect(effect, path));
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

// ── DeviceTaintRule ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Another effect is a new taint: unless the client says since when, it is since now. */
export function prepareTaintRuleForUpdate(rule: JsonObject, old: JsonObject, clock: WallClock): void {
  keepStatus(rule, old);
  const taint = objectAt(rule, 'spec', 'taint');
  const stored = objectAt(old, 'spec', 'taint') ?? {};
  if (taint === undefined || textAt(taint, 'effect') === textAt(stored, 'effect')) return;
  if (fieldAt(taint, 'timeAdded') === fieldAt(stored, 'timeAdded')) taint['timeAdded'] = presentTime(clock);
}

export function validateTaintRule(rule: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(rule), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateRuleSpec(objectAt(rule, 'spec') ?? {}, undefined),
  ];
}

export function validateTaintRuleUpdate(rule: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(rule, old),
    ...validateRuleSpec(objectAt(rule, 'spec') ?? {}, objectAt(old, 'spec', 'taint')),
  ];
}

export function validateTaintRuleStatusUpdate(rule: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(rule, old);
  const conditions = objectsAt(rule, 'status', 'conditions');
  addIssues(issues, validateConditions(conditions, CONDITIONS));
  if (conditions.length > MAX_CONDITIONS) issues.push(tooMany(CONDITIONS, conditions.length, MAX_CONDITIONS));
  return issues;
}

function validateRuleSpec(spec: JsonObject, oldTaint: JsonObject | undefined): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const selector = objectAt(spec, 'deviceSelector') ?? {};
  for (const [name, validate] of [
    ['driver', validateDriverName],
    ['pool', validatePoolName],
    ['device', validateLabel],
  ] as const) {
    const value = fieldAt(selector, name);
    if (typeof value === 'string') addIssues(issues, validate(value, SPEC.child('deviceSelector', name)));
  }
  addIssues(issues, validateTaint(objectAt(spec, 'taint') ?? {}, SPEC.child('taint'), oldTaint));
  return issues;
}
