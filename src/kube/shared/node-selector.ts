/** Validation of node selectors, as in the affinity of pods and volumes, and warnings about deprecated node labels. */
import { objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { declared, type FieldIssue, forbidden, invalid, required } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { checkLabelValue, validateLabelName } from '../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';

const BAD_OPERATOR = 'not a valid selector operator';

/** Deprecated node labels, each with the warning text. */
const DEPRECATED_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The warning about a deprecated node label. Undefined for other labels. */
export function deprecatedNodeLabel(key: string): string | undefined {
  return DEPRECATED_LABELS.get(key);
}

/** `anyValue`: accepts values that are not valid label values, because the stored object already has such a value. */
export function validateNodeSelector(selector: JsonObject, path: FieldPath, anyValue = false): FieldIssue[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const termsPath = path.child('nodeSelectorTerms');
  if (terms.length === 0) return [required(termsPath, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeSelectorTerm(term, termsPath.index(i), anyValue));
}

export function validateNodeSelectorTerm(term: JsonObject, path: FieldPath, anyValue = false): FieldIssue[] {
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((one, i) =>
      validateExpression(one, path.child('matchExpressions').index(i), anyValue),
    ),
    ...objectsAt(term, 'matchFields').flatMap((one, i) => validateField(one, path.child('matchFields').index(i))),
  ];
}

function validateExpression(requirement: JsonObject, path: FieldPath, anyValue: boolean): FieldIssue[] {
  const operator = textAt(requirement, 'operator');
  const values = textsAt(requirement, 'values');
  const key = textAt(requirement, 'key');
  const issues = [...validateOperator(operator, values.length, path), ...validateLabelName(key, path.child('key'))];
  if (!anyValue)
    values.forEach((value, i) => {
      for (const complaint of checkLabelValue(value))
        issues.push(invalid(path.child('values').index(i), value, complaint));
    });
  return issues;
}

function validateOperator(operator: string, count: number, path: FieldPath): FieldIssue[] {
  const values = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [declared(invalid(path.child('operator'), operator, BAD_OPERATOR))];
  }
}

/** The only field that can be selected by is metadata.name. */
function validateField(requirement: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const operator = textAt(requirement, 'operator');
  const values = textsAt(requirement, 'values');
  if (operator !== 'In' && operator !== 'NotIn')
    issues.push(declared(invalid(path.child('operator'), operator, BAD_OPERATOR)));
  else if (values.length !== 1)
    issues.push(
      required(
        path.child('values'),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  const key = textAt(requirement, 'key');
  if (key !== 'metadata.name') return [...issues, invalid(path.child('key'), key, 'not a valid field selector key')];
  values.forEach((value, i) => {
    for (const complaint of nameIsDnsSubdomain(value, false))
      issues.push(invalid(path.child('values').index(i), value, complaint));
  });
  return issues;
}

/** Whether the expressions of the terms have a value that is not a valid label value. */
export function hasInvalidNodeLabelValue(terms: readonly JsonObject[]): boolean {
  return terms.some((term) =>
    objectsAt(term, 'matchExpressions').some((one) =>
      textsAt(one, 'values').some((value) => checkLabelValue(value).length > 0),
    ),
  );
}

/** Warnings about deprecated labels in a term. `checkValues`: also about values that are not valid label values. */
export function nodeSelectorTermWarnings(term: JsonObject, path: FieldPath, checkValues = false): readonly string[] {
  return objectsAt(term, 'matchExpressions').flatMap((one, i) => {
    const key = textAt(one, 'key');
    const message = deprecatedNodeLabel(key);
    const at = path.child('matchExpressions').index(i);
    const warnings = message === undefined ? [] : [`${at.child('key')}: ${key} is ${message}`];
    if (!checkValues) return warnings;
    const aboutValues = textsAt(one, 'values').flatMap((value, j) =>
      checkLabelValue(value).map((complaint) => `${at.child('values').index(j)}: ${value} is invalid, ${complaint}`),
    );
    return [...warnings, ...aboutValues];
  });
}

/** Warnings about deprecated labels in a label selector that selects nodes. */
export function nodeLabelSelectorWarnings(selector: JsonObject, path: FieldPath): readonly string[] {
  const byLabels = Object.keys(objectAt(selector, 'matchLabels') ?? {}).flatMap((key) => {
    const message = deprecatedNodeLabel(key);
    return message === undefined ? [] : [`${path.child('matchLabels', key)}: ${message}`];
  });
  return [...nodeSelectorTermWarnings(selector, path), ...byLabels];
}
