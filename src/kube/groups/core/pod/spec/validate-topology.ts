/** Validation of topology spread constraints, and of the label keys that they share with affinity terms. */
import { fieldAt, numberAt, objectsAt, textAt, textsAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { validateLabelSelectorObject } from '../../../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, indexPath } from '../../../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../../../apimachinery/validation/label-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { selectorAt } from '../../../../shared/label-selector.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const NODE_POLICIES = ['Honor', 'Ignore'];

/** Appends to `issues`. `path` is the path of the list. */
export function validateSpreadConstraints(
  spec: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const constraints = objectsAt(spec, 'topologySpreadConstraints');
  const lastOf = new Map(constraints.map((constraint, i) => [shownPair(constraint), i]));
  constraints.forEach((constraint, i) => {
    const at = path.index(i);
    const key = textAt(constraint, 'topologyKey');
    const action = textAt(constraint, 'whenUnsatisfiable');
    validateMoreThanZero(numberAt(constraint, 'maxSkew'), at.child('maxSkew'), issues);
    if (key === '') issues.push(required(at.child('topologyKey'), 'can not be empty'));
    if (!ACTIONS.includes(action)) issues.push(declared(notSupported(at.child('whenUnsatisfiable'), action, ACTIONS)));
    const pair = shownPair(constraint);
    if (lastOf.get(pair) !== i) issues.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), pair));
    validateMinDomains(constraint, action, at.child('minDomains'), issues);
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = fieldAt(constraint, name);
      if (typeof policy === 'string' && !NODE_POLICIES.includes(policy))
        issues.push(declared(notSupported(at.child(name), policy, NODE_POLICIES)));
    }
    if (options.allowRepeatedSpreadKeys) validateOldLabelKeys(constraint, at.child('matchLabelKeys'), issues);
    else addIssues(issues, validateLabelKeys(constraint, at));
    if (!options.allowInvalidSpreadSelector)
      addIssues(
        issues,
        validateLabelSelectorObject(selectorAt(constraint, 'labelSelector'), at.child('labelSelector')),
      );
  });
}

function shownPair(constraint: JsonObject): string {
  return `{${textAt(constraint, 'topologyKey')}, ${textAt(constraint, 'whenUnsatisfiable')}}`;
}

function validateMinDomains(constraint: JsonObject, action: string, path: FieldPath, issues: FieldIssue[]): void {
  const domains = fieldAt(constraint, 'minDomains');
  if (typeof domains !== 'number') return;
  validateMoreThanZero(domains, path, issues);
  if (action !== 'DoNotSchedule')
    issues.push(invalid(path, domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`));
}

function validateMoreThanZero(value: number | bigint, path: FieldPath, issues: FieldIssue[]): void {
  if (value <= 0) issues.push(invalid(path, value, 'must be greater than zero'));
}

/** matchLabelKeys and mismatchLabelKeys of a spread constraint or an affinity term. `path` is the path of the term. */
export function validateLabelKeys(term: JsonObject, path: FieldPath | undefined): FieldIssue[] {
  const matched = textsAt(term, 'matchLabelKeys');
  const mismatched = textsAt(term, 'mismatchLabelKeys');
  if (matched.length + mismatched.length === 0) return [];
  const selector = selectorAt(term, 'labelSelector');
  const issues: FieldIssue[] = [];
  const lists = [
    ['matchLabelKeys', matched],
    ['mismatchLabelKeys', mismatched],
  ] as const;
  for (const [name, keys] of lists) {
    const at = childPath(path, name);
    if (keys.length > 0 && selector === undefined)
      issues.push(forbidden(at, 'must not be specified when labelSelector is not set'));
    else for (const [i, key] of keys.entries()) addIssues(issues, validateLabelName(key, at.index(i)));
  }
  // The server itself adds each key to the selector once, so only a second occurrence is the user's.
  const selected = new Set(Object.keys(selector?.matchLabels ?? {}));
  const lastOf = new Map(matched.map((key, i) => [key, i]));
  for (const { key } of selector?.matchExpressions ?? []) {
    const i = lastOf.get(key);
    if (i !== undefined && selected.has(key))
      issues.push(invalid(indexPath(path, i), key, 'exists in both matchLabelKeys and labelSelector'));
    selected.add(key);
  }
  const unwanted = new Set(mismatched);
  matched.forEach((key, i) => {
    if (unwanted.has(key))
      issues.push(
        invalid(childPath(path, 'matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
      );
  });
  return issues;
}

/** The former rule, for constraints that were stored under it. */
function validateOldLabelKeys(constraint: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const keys = textsAt(constraint, 'matchLabelKeys');
  if (keys.length === 0) return;
  const selector = selectorAt(constraint, 'labelSelector');
  if (selector === undefined) issues.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  const selected = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  keys.forEach((key, i) => {
    addIssues(issues, validateLabelName(key, path.index(i)));
    if (selected.has(key)) issues.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
  });
}
