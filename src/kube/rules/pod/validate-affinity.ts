/** Node selectors and affinities. Invariant: pure; the issues are the reference's, in its order. */
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { validateLabelSelectorObject } from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkLabelValue, validateLabelName } from '../../../apimachinery/validation/labels-syntax.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { selectorAt } from '../../checks/label-selector.ts';
import type { PodChecks } from './pod-checks.ts';
import { validateLabelKeys } from './validate-topology.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Adds what is wrong with an affinity of a pod spec. */
export function validateAffinity(
  affinity: JsonObject | undefined,
  checks: PodChecks,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  if (affinity === undefined) return;
  const node = objectAt(affinity, 'nodeAffinity');
  if (node !== undefined) validateNodeAffinity(node, checks, path.child('nodeAffinity'), issues);
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const pod = objectAt(affinity, kind);
    if (pod === undefined) continue;
    const at = path.child(kind);
    objectsAt(pod, REQUIRED).forEach((term, i) => {
      validatePodTerm(term, checks, at.child(REQUIRED).index(i), issues);
    });
    objectsAt(pod, PREFERRED).forEach((weighted, i) => {
      const termPath = at.child(PREFERRED).index(i);
      validateWeight(weighted, termPath, issues);
      validatePodTerm(objectAt(weighted, 'podAffinityTerm') ?? {}, checks, termPath.child('podAffinityTerm'), issues);
    });
  }
}

function validateNodeAffinity(node: JsonObject, checks: PodChecks, path: FieldPath, issues: FieldIssue[]): void {
  const selector = objectAt(node, REQUIRED);
  if (selector !== undefined)
    issues.push(...validateNodeSelector(selector, path.child(REQUIRED), checks.allowInvalidNodeAffinityValue));
  objectsAt(node, PREFERRED).forEach((weighted, i) => {
    const at = path.child(PREFERRED).index(i);
    validateWeight(weighted, at, issues);
    issues.push(...validateNodeSelectorTerm(objectAt(weighted, 'preference') ?? {}, at.child('preference'), true));
  });
}

function validateWeight(weighted: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const weight = numberAt(weighted, 'weight');
  if (weight <= 0 || weight > 100) issues.push(invalid(path.child('weight'), weight, 'must be in the range 1-100'));
}

/** Terms of which one must hold for a node. `allowInvalidValues`: the stored object has label values that today's rules refuse. */
export function validateNodeSelector(selector: JsonObject, path: FieldPath, allowInvalidValues = false): FieldIssue[] {
  const at = path.child('nodeSelectorTerms');
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, at.index(i), allowInvalidValues));
}

export function validateNodeSelectorTerm(term: JsonObject, path: FieldPath, allowInvalidValues: boolean): FieldIssue[] {
  const issues: FieldIssue[] = [];
  objectsAt(term, 'matchExpressions').forEach((expression, i) => {
    validateExpression(expression, path.child('matchExpressions').index(i), allowInvalidValues, issues);
  });
  objectsAt(term, 'matchFields').forEach((expression, i) => {
    validateFieldExpression(expression, path.child('matchFields').index(i), issues);
  });
  return issues;
}

function validateExpression(
  expression: JsonObject,
  path: FieldPath,
  allowInvalidValues: boolean,
  issues: FieldIssue[],
): void {
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  const at = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) issues.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        issues.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        issues.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      issues.push(declared(invalid(path.child('operator'), operator, 'not a valid selector operator')));
  }
  issues.push(...validateLabelName(textAt(expression, 'key'), path.child('key')));
  if (allowInvalidValues) return;
  values.forEach((value, i) => {
    for (const complaint of checkLabelValue(value)) issues.push(invalid(at.index(i), value, complaint));
  });
}

/** Nodes may be chosen by one field, their name. */
function validateFieldExpression(expression: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  const at = path.child('values');
  if (operator !== 'In' && operator !== 'NotIn')
    issues.push(declared(invalid(path.child('operator'), operator, 'not a valid selector operator')));
  else if (values.length !== 1)
    issues.push(required(at, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  const key = textAt(expression, 'key');
  if (key !== 'metadata.name') issues.push(invalid(path.child('key'), key, 'not a valid field selector key'));
  else
    values.forEach((value, i) => {
      for (const complaint of nameIsDnsSubdomain(value, false)) issues.push(invalid(at.index(i), value, complaint));
    });
}

function validatePodTerm(term: JsonObject, checks: PodChecks, path: FieldPath, issues: FieldIssue[]): void {
  const rules = { allowInvalidValues: checks.allowInvalidAffinitySelector };
  for (const name of ['labelSelector', 'namespaceSelector'])
    issues.push(...validateLabelSelectorObject(selectorAt(term, name), path.child(name), rules));
  for (const namespace of textsAt(term, 'namespaces'))
    for (const complaint of nameIsDnsLabel(namespace, false))
      issues.push(invalid(path.child('namespace'), namespace, complaint));
  issues.push(...validateLabelKeys(term, path));
  const key = textAt(term, 'topologyKey');
  if (key === '') issues.push(required(path.child('topologyKey'), 'can not be empty'));
  issues.push(...validateLabelName(key, path.child('topologyKey')));
}
