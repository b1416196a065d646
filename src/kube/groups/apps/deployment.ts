/** Deployment. Invariant: pure; the generation counts changes of the spec and of annotations, because those are copied to the ReplicaSets. */
import { ensureObject, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { parseGoInt } from '../../../apimachinery/scalars/go-number.ts';
import { formatLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { labelSelectorFromObject } from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { Strategy } from '../../../server/resource/resource-definition.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import {
  intOrPercentValue,
  validateAtMost100Percent,
  validateNonnegativeIntOrPercent,
} from '../../shared/int-or-percent.ts';
import { selectorAt } from '../../shared/label-selector.ts';
import { int32At, validateNonnegative, validateNonnegativeFields } from '../../shared/numbers.ts';
import { ensureMeta, keepStatus, metaFacts, setDefault, specOf, takeField } from '../../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  beginObject,
  countGeneration,
  generationChanged,
  intOrStringAt,
  keepSpec,
  METADATA,
  nameWarnings,
  SPEC,
  STATUS,
  setDefaultText,
  shownStrategy,
  statusOf,
  TEMPLATE,
  templateColumns,
  templateOf,
  validateAtMost,
  validateCollisionCount,
} from '../../shared/workload-rules.ts';
import { dropDisabledPodFields, podTemplateWarnings, setPodTemplateDefaults } from '../core/pod/pod-template-spec.ts';
import { validateSameSelector, validateSelectorAndTemplate } from './replica-template.ts';

const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const STRATEGY = SPEC.child('strategy');

export const deploymentTable: () => TableDefinition = tableOf(
  NAME,
  column('Ready', 'Pods that are ready, of those wanted.', readyText),
  column('Up-to-date', 'Pods of the present template.', (object) => int32At(object, 'status', 'updatedReplicas') ?? 0),
  column('Available', 'Pods that are available.', (object) => int32At(object, 'status', 'availableReplicas') ?? 0),
  AGE,
  ...templateColumns('spec', 'template'),
  column('Selector', 'Which pods it owns.', selectorText, { priority: 1 }),
);

/** Ready and wanted pods, as Deployments and StatefulSets show them. */
export function readyText(object: JsonObject): string {
  return `${int32At(object, 'status', 'readyReplicas') ?? 0}/${int32At(object, 'spec', 'replicas') ?? 0}`;
}

/** Unlike that of other kinds, an empty selector shows as nothing. */
function selectorText(object: JsonObject): string {
  const converted = labelSelectorFromObject(selectorAt(object, 'spec', 'selector'));
  return converted.ok ? formatLabelSelector(converted.selector) : '<invalid>';
}

/** Why a body cannot be read as a Deployment; undefined if it can. */
export function deploymentProblem(object: JsonObject): string | undefined {
  const text = textAt(object, 'metadata', 'annotations', ROLLBACK_TO);
  const parsed = text === '' ? undefined : parseGoInt(text);
  return parsed === undefined || parsed.ok
    ? undefined
    : `failed to parse annotation[${ROLLBACK_TO}]=${text} as int64: ${parsed.message}`;
}

/** An annotation, kept for clients of old versions, that stands for a field: it holds a number or is not there. */
function canonicalizeRollback(object: JsonObject): void {
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (annotations === undefined || !Object.hasOwn(annotations, ROLLBACK_TO)) return;
  const parsed = parseGoInt(textAt(annotations, ROLLBACK_TO));
  if (parsed.ok) annotations[ROLLBACK_TO] = String(parsed.value);
  else delete annotations[ROLLBACK_TO];
  if (Object.keys(annotations).length === 0) delete ensureMeta(object)['annotations'];
}

export function setDeploymentDefaults(object: JsonObject): void {
  canonicalizeRollback(object);
  const spec = ensureObject(object, 'spec');
  setDefault(spec, 'replicas', 1);
  const strategy = ensureObject(spec, 'strategy');
  setDefaultText(strategy, 'type', 'RollingUpdate');
  if (textAt(strategy, 'type') === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    setDefault(rolling, 'maxUnavailable', '25%');
    setDefault(rolling, 'maxSurge', '25%');
  }
  setDefault(spec, 'revisionHistoryLimit', 10);
  setDefault(spec, 'progressDeadlineSeconds', 600);
  setPodTemplateDefaults(ensureObject(spec, 'template'));
}

export const DEPLOYMENT_RULES: Partial<Strategy> = {
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  prepareForCreate: (object) => {
    beginObject(object, {});
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
    const sameAnnotations = equalJson(annotationsOf(object), annotationsOf(old));
    if (!sameAnnotations || !equalJson(specOf(object), specOf(old))) countGeneration(object, old);
  },
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object, old),
    ...validateSpec(object, old),
    ...validateSameSelector(object, old),
  ],
  warningsOnUpdate: (object, old) =>
    generationChanged(object, old) ? podTemplateWarnings(templateOf(object), templateOf(old), TEMPLATE) : [],
};

export const DEPLOYMENT_STATUS_RULES: Partial<Strategy> = {
  prepareForUpdate: (object, old) => {
    keepSpec(object, old);
    takeField(ensureMeta(object), objectAt(old, 'metadata') ?? {}, 'labels');
  },
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object, old),
    ...validateStatus(statusOf(object)),
    ...validateCollisionCount(object, old),
  ],
};

function annotationsOf(object: JsonObject): JsonObject {
  return objectAt(object, 'metadata', 'annotations') ?? {};
}

function validateSpec(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const spec = specOf(object);
  const issues = [
    ...validateNonnegativeFields(spec, ['replicas'], SPEC),
    ...validateSelectorAndTemplate(object, old),
    ...validateStrategy(objectAt(spec, 'strategy') ?? {}),
    ...validateNonnegativeFields(spec, ['minReadySeconds', 'revisionHistoryLimit'], SPEC),
    ...validateNonnegative(rollbackOf(object), SPEC.child('rollback', 'version')),
    ...validateNonnegativeFields(spec, ['progressDeadlineSeconds'], SPEC),
  ];
  const deadline = int32At(spec, 'progressDeadlineSeconds');
  if (deadline !== undefined && deadline <= (int32At(spec, 'minReadySeconds') ?? 0))
    issues.push(invalid(SPEC.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'));
  return issues;
}

function rollbackOf(object: JsonObject): number | bigint | undefined {
  const parsed = parseGoInt(textAt(object, 'metadata', 'annotations', ROLLBACK_TO));
  return parsed.ok ? parsed.value : undefined;
}

function validateStrategy(strategy: JsonObject): FieldIssue[] {
  const type = textAt(strategy, 'type');
  const rolling = objectAt(strategy, 'rollingUpdate');
  const path = STRATEGY.child('rollingUpdate');
  if (type === 'Recreate')
    return rolling === undefined ? [] : [forbidden(path, "may not be specified when strategy `type` is 'Recreate'")];
  if (type === 'RollingUpdate')
    return rolling === undefined
      ? [required(path, 'this should be defaulted and never be nil')]
      : validateRollingUpdate(rolling);
  return [declared(notSupported(STRATEGY, shownStrategy(strategy), ['Recreate', 'RollingUpdate']))];
}

function validateRollingUpdate(rolling: JsonObject): FieldIssue[] {
  const path = STRATEGY.child('rollingUpdate');
  const unavailable = intOrStringAt(rolling, 'maxUnavailable');
  const surge = intOrStringAt(rolling, 'maxSurge');
  const issues = [
    ...validateNonnegativeIntOrPercent(unavailable, path.child('maxUnavailable')),
    ...validateNonnegativeIntOrPercent(surge, path.child('maxSurge')),
  ];
  if (intOrPercentValue(unavailable) === 0 && intOrPercentValue(surge) === 0)
    issues.push(declared(invalid(path.child('maxUnavailable'), unavailable ?? 0, 'may not be 0 when `maxSurge` is 0')));
  return [...issues, ...validateAtMost100Percent(unavailable, path.child('maxUnavailable'))];
}

function validateStatus(status: JsonObject): FieldIssue[] {
  return [
    ...validateNonnegativeFields(
      status,
      [
        'observedGeneration',
        'replicas',
        'updatedReplicas',
        'readyReplicas',
        'availableReplicas',
        'unavailableReplicas',
        'terminatingReplicas',
        'collisionCount',
      ],
      STATUS,
    ),
    ...validateAtMost(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], 'replicas'),
    ...validateAtMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
  ];
}
