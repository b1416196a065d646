/**
 * The kind Deployment. metadata.generation counts changes of the spec and of annotations, because the controller copies
 * annotations to the ReplicaSets.
 */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
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
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { appsShapes } from '../../../kinds/shapes/apps.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { resetting } from '../../../server/resource/reset-fields.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { ensureMeta, keepSpec, setDefault, specOf, takeField } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import {
  intOrPercentValue,
  validateAtMost100Percent,
  validateNonnegativeIntOrPercent,
} from '../../shared/int-or-percent.ts';
import { selectorAt } from '../../shared/label-selector.ts';
import { int32At, validateNonnegative, validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  countGeneration,
  intOrStringAt,
  SPEC,
  STATUS,
  setDefaultText,
  statusOf,
  templateColumns,
  validateAtMost,
  validateCollisionCount,
} from '../../shared/workload-rules.ts';
import { builtInScale } from '../autoscaling/scale.ts';
import { setPodTemplateDefaults } from '../core/pod/pod-template-spec.ts';
import { withBodyCheck } from './body-check.ts';
import { readyText, replicaStrategy, validateSelectorAndTemplate } from './replica-template.ts';

const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const STRATEGY = SPEC.child('strategy');

const deploymentTable: () => TableDefinition = tableOf(
  NAME,
  column('Ready', 'Pods that are ready, of those wanted.', readyText),
  column('Up-to-date', 'Pods of the present template.', (object) => int32At(object, 'status', 'updatedReplicas') ?? 0),
  column('Available', 'Pods that are available.', (object) => int32At(object, 'status', 'availableReplicas') ?? 0),
  AGE,
  ...templateColumns('spec', 'template'),
  column('Selector', 'Which pods it owns.', selectorText, { priority: 1 }),
);

const DEPLOYMENT_STRATEGY: Strategy = replicaStrategy({ emptyStatus: {}, validateSpec, countChange });

export const DEPLOYMENT: KubeResource = {
  definition: storedResource({
    plural: 'deployments',
    shortNames: ['deploy'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      withBodyCheck(
        builtInVersion({
          group: 'apps',
          version: 'v1',
          kind: 'Deployment',
          setDefaults: setDeploymentDefaults,
          table: deploymentTable,
        }),
        rollbackProblem,
      ),
    ],
    strategy: DEPLOYMENT_STRATEGY,
    subresources: [
      statusSubresource(DEPLOYMENT_STRATEGY, {
        prepareForUpdate: prepareStatusForUpdate,
        validateUpdate: validateStatusUpdate,
        resetFields: resetting(['spec'], ['metadata', 'labels']),
      }),
      builtInScale({ group: 'apps', plural: 'deployments', selector: 'object' }),
    ],
  }),
};

/** The Selector column. An empty selector shows as an empty text here; other kinds show `<none>`. */
function selectorText(object: JsonObject): string {
  const converted = labelSelectorFromObject(selectorAt(object, 'spec', 'selector'));
  return converted.ok ? formatLabelSelector(converted.selector) : '<invalid>';
}

/** Returns why a body cannot be decoded: the rollback annotation is not an integer. */
function rollbackProblem(object: JsonObject): string | undefined {
  const text = textAt(object, 'metadata', 'annotations', ROLLBACK_TO);
  const parsed = text === '' ? undefined : parseGoInt(text);
  return parsed === undefined || parsed.ok
    ? undefined
    : `failed to parse annotation[${ROLLBACK_TO}]=${text} as int64: ${parsed.message}`;
}

/** Normalizes the annotation that holds spec.rollbackTo of extensions/v1beta1: an integer, or no annotation. */
function canonicalizeRollback(object: JsonObject): void {
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (annotations === undefined || !Object.hasOwn(annotations, ROLLBACK_TO)) return;
  const parsed = parseGoInt(textAt(annotations, ROLLBACK_TO));
  if (parsed.ok) annotations[ROLLBACK_TO] = String(parsed.value);
  else delete annotations[ROLLBACK_TO];
  if (Object.keys(annotations).length === 0) delete ensureMeta(object)['annotations'];
}

function setDeploymentDefaults(object: JsonObject): void {
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

function prepareStatusForUpdate(object: JsonObject, old: JsonObject): void {
  keepSpec(object, old);
  takeField(ensureMeta(object), objectAt(old, 'metadata') ?? {}, 'labels');
}

function countChange(object: JsonObject, old: JsonObject): void {
  const sameAnnotations = equalJson(annotationsOf(object), annotationsOf(old));
  if (!sameAnnotations || !equalJson(specOf(object), specOf(old))) countGeneration(object, old);
}

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
  const shown = goValue(appsShapes, 'DeploymentStrategy', strategy);
  return [declared(notSupported(STRATEGY, shown, ['Recreate', 'RollingUpdate']))];
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

function validateStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const status = statusOf(object);
  return [
    ...validateMetaUpdate(object, old),
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
    ...validateCollisionCount(object, old),
  ];
}
