/**
 * Shared rules of the kinds that keep pods running: the selector and the pod template of Deployment, ReplicaSet,
 * DaemonSet, StatefulSet and ReplicationController, and the strategy of Deployment and ReplicaSet.
 */
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
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import { strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import {
  invalidSelector,
  isEmptySelector,
  labelsAt,
  labelsDoNotMatch,
  selectorAt,
  selectorMatches,
} from '../../shared/label-selector.ts';
import { int32At } from '../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  beginObject,
  generationChanged,
  METADATA,
  nameWarnings,
  SPEC,
  TEMPLATE,
  templateOf,
} from '../../shared/workload-rules.ts';
import { dropDisabledPodFields, podTemplateWarnings, validatePodTemplateSpec } from '../core/pod/pod-template-spec.ts';

const SELECTOR: FieldPath = SPEC.child('selector');

export interface ReplicaStrategyOptions {
  /** The status of a new object. */
  readonly emptyStatus: JsonObject;
  /** `old` is the stored object; undefined on create. */
  validateSpec(object: JsonObject, old: JsonObject | undefined): FieldIssue[];
  /**
   * Called on update, after the stored status is restored. Increments metadata.generation if the update counts as a
   * change.
   */
  countChange(object: JsonObject, old: JsonObject): void;
}

/** The strategy of Deployment and ReplicaSet. The selector is immutable. */
export function replicaStrategy({ emptyStatus, validateSpec, countChange }: ReplicaStrategyOptions): Strategy {
  return strategyWithDefaults({
    nameRule: nameIsDnsSubdomain,
    validatesMetadata: true,
    prepareForCreate: (object) => {
      beginObject(object, emptyStatus);
      dropDisabledPodFields(templateOf(object), undefined);
    },
    validate: (object) => [
      ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
      ...validateSpec(object, undefined),
    ],
    warningsOnCreate: (object) => [
      ...nameWarnings(object),
      ...podTemplateWarnings(templateOf(object), undefined, TEMPLATE),
    ],
    prepareForUpdate: (object, old) => {
      keepStatus(object, old);
      dropDisabledPodFields(templateOf(object), templateOf(old));
      countChange(object, old);
    },
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object, old),
      ...validateSpec(object, old),
      ...validateSameSelector(object, old),
    ],
    warningsOnUpdate: (object, old) =>
      generationChanged(object, old) ? podTemplateWarnings(templateOf(object), templateOf(old), TEMPLATE) : [],
  });
}

/** The Ready column of Deployments and StatefulSets: ready replicas of desired replicas. */
export function readyText(object: JsonObject): string {
  return `${int32At(object, 'status', 'readyReplicas') ?? 0}/${int32At(object, 'spec', 'replicas') ?? 0}`;
}

/** Validates a selector that must be present and not empty. `owner` is the name of the kind in the message. */
export function validateOwnSelector(selector: LabelSelectorObject | undefined, owner: string): FieldIssue[] {
  if (selector === undefined) return [required(SELECTOR, '')];
  const issues = validateLabelSelectorObject(selector, SELECTOR);
  if (isEmptySelector(selector))
    issues.push(invalidSelector(selector, SELECTOR, `empty selector is invalid for ${owner}`));
  return issues;
}

/** Validates the selector and the template of a Deployment or ReplicaSet. `old` is undefined on create. */
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

/** Reports a changed spec.selector. */
export function validateSameSelector(object: JsonObject, old: JsonObject): FieldIssue[] {
  const selector = (from: JsonObject): JsonValue => objectAt(from, 'spec', 'selector') ?? null;
  return validateImmutableField(selector(object), selector(old), SELECTOR).map(declared);
}

/** Validates a template whose pods must not end: restartPolicy Always and no activeDeadlineSeconds. */
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
