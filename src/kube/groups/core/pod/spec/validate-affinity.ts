/** Validation of a pod's affinity. */
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { validateLabelSelectorObject } from '../../../../../apimachinery/selectors/label-selector-object.ts';
import { addIssues, type FieldIssue, invalid, required } from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsLabel } from '../../../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { selectorAt } from '../../../../shared/label-selector.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from '../../../../shared/node-selector.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateLabelKeys } from './validate-topology.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Appends to `issues`. */
export function validateAffinity(
  affinity: JsonObject | undefined,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  if (affinity === undefined) return;
  const node = objectAt(affinity, 'nodeAffinity');
  if (node !== undefined) validateNodeAffinity(node, options, path.child('nodeAffinity'), issues);
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const pod = objectAt(affinity, kind);
    if (pod === undefined) continue;
    const at = path.child(kind);
    objectsAt(pod, REQUIRED).forEach((term, i) => {
      validatePodTerm(term, options, at.child(REQUIRED).index(i), issues);
    });
    objectsAt(pod, PREFERRED).forEach((weighted, i) => {
      const termPath = at.child(PREFERRED).index(i);
      validateWeight(weighted, termPath, issues);
      validatePodTerm(objectAt(weighted, 'podAffinityTerm') ?? {}, options, termPath.child('podAffinityTerm'), issues);
    });
  }
}

function validateNodeAffinity(
  node: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const selector = objectAt(node, REQUIRED);
  if (selector !== undefined)
    addIssues(issues, validateNodeSelector(selector, path.child(REQUIRED), options.allowInvalidNodeAffinityValue));
  objectsAt(node, PREFERRED).forEach((weighted, i) => {
    const at = path.child(PREFERRED).index(i);
    validateWeight(weighted, at, issues);
    addIssues(issues, validateNodeSelectorTerm(objectAt(weighted, 'preference') ?? {}, at.child('preference'), true));
  });
}

function validateWeight(weighted: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const weight = numberAt(weighted, 'weight');
  if (weight <= 0 || weight > 100) issues.push(invalid(path.child('weight'), weight, 'must be in the range 1-100'));
}

function validatePodTerm(term: JsonObject, options: PodValidationOptions, path: FieldPath, issues: FieldIssue[]): void {
  const rules = { allowInvalidValues: options.allowInvalidAffinitySelector };
  for (const name of ['labelSelector', 'namespaceSelector'])
    addIssues(issues, validateLabelSelectorObject(selectorAt(term, name), path.child(name), rules));
  for (const namespace of textsAt(term, 'namespaces'))
    for (const complaint of nameIsDnsLabel(namespace, false))
      issues.push(invalid(path.child('namespace'), namespace, complaint));
  addIssues(issues, validateLabelKeys(term, path));
  const key = textAt(term, 'topologyKey');
  if (key === '') issues.push(required(path.child('topologyKey'), 'can not be empty'));
  addIssues(issues, validateLabelName(key, path.child('topologyKey')));
}
