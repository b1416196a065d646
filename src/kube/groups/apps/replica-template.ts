/** Selector and pod template of kinds that keep pods running (Deployment, ReplicaSet, ReplicationController, DaemonSet, StatefulSet). Invariant: pure; the texts are the reference's. */
import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import {
  invalidSelector,
  isEmptySelector,
  labelsAt,
  labelsDoNotMatch,
  selectorAt,
  selectorMatches,
} from '../../shared/label-selector.ts';
import { SPEC, TEMPLATE, templateOf } from '../../shared/workload-rules.ts';
import { validatePodTemplateSpec } from '../core/pod/pod-template-spec.ts';

const SELECTOR: FieldPath = SPEC.child('selector');

/** A selector that must be there and ask for something. `owner` is what the text calls the kind. */
export function validateOwnSelector(selector: LabelSelectorObject | undefined, owner: string): FieldIssue[] {
  if (selector === undefined) return [required(SELECTOR, '')];
  const issues = validateLabelSelectorObject(selector, SELECTOR);
  if (isEmptySelector(selector))
    issues.push(invalidSelector(selector, SELECTOR, `empty selector is invalid for ${owner}`));
  return issues;
}

/** Selector and template of a Deployment or a ReplicaSet. */
export function validateSelectorAndTemplate(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const selector = selectorAt(object, 'spec', 'selector');
  const issues = validateOwnSelector(selector, 'deployment');
  const template = templateOf(object);
  const matches = selectorMatches(selector, labelsAt(template, 'metadata', 'labels'));
  if (matches === undefined) return [...issues, invalidSelector(selector, SELECTOR, 'invalid label selector')];
  if (!matches && (selector === undefined || !isEmptySelector(selector)))
    issues.push(labelsDoNotMatch(labelsAt(template, 'metadata', 'labels'), TEMPLATE));
  const oldTemplate = old === undefined ? undefined : templateOf(old);
  return [
    ...issues,
    ...validatePodTemplateSpec(template, TEMPLATE, { old: oldTemplate }),
    ...validateRunsForever(template, 'ReplicaSet'),
  ];
}

/** The selector of a kind that may not change it. */
export function validateSameSelector(object: JsonObject, old: JsonObject): FieldIssue[] {
  const selector = (from: JsonObject): JsonValue => objectAt(from, 'spec', 'selector') ?? null;
  return validateImmutableField(selector(object), selector(old), SELECTOR).map(declared);
}

/** Pods that are replaced when they end: they always restart and have no deadline. */
export function validateRunsForever(template: JsonObject, owner: string): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const policy = textAt(template, 'spec', 'restartPolicy');
  if (policy !== 'Always')
    issues.push(declared(notSupported(TEMPLATE.child('spec', 'restartPolicy'), policy, ['Always'])));
  if (fieldAt(objectAt(template, 'spec') ?? {}, 'activeDeadlineSeconds') !== undefined)
    issues.push(
      forbidden(TEMPLATE.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${owner} is not Supported`),
    );
  return issues;
}
