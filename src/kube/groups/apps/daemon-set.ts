/**
 * The kind DaemonSet. The annotation `deprecated.daemonset.template.generation` holds spec.templateGeneration of
 * extensions/v1beta1: it counts changes of the template, and only the server sets it.
 */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { ensureObject, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { parseGoInt } from '../../../apimachinery/scalars/go-number.ts';
import {
  hasInvalidLabelValue,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { appsShapes } from '../../../kinds/shapes/apps.ts';
import { AGE, column, labelsText, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import {
  ensureMeta,
  keepSpec,
  keepStatus,
  metaFacts,
  setDefault,
  specOf,
} from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import {
  intOrPercentValue,
  validateAtMost100Percent,
  validateNonnegativeIntOrPercent,
} from '../../shared/int-or-percent.ts';
import {
  invalidSelector,
  isEmptySelector,
  labelsAt,
  labelsDoNotMatch,
  selectorAt,
  selectorMatches,
} from '../../shared/label-selector.ts';
import { validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  beginObject,
  countColumn,
  countGeneration,
  countSpecChange,
  intOrStringAt,
  METADATA,
  SPEC,
  STATUS,
  selectorColumn,
  setDefaultText,
  statusOf,
  TEMPLATE,
  templateColumns,
  templateOf,
  validateCollisionCount,
  withEntries,
} from '../../shared/workload-rules.ts';
import {
  dropDisabledPodFields,
  podTemplateWarnings,
  setPodTemplateDefaults,
  validatePodTemplateSpec,
} from '../core/pod/pod-template-spec.ts';
import { withBodyCheck } from './body-check.ts';
import { validateRunsForever, validateSameSelector } from './replica-template.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const STRATEGY: FieldPath = SPEC.child('updateStrategy');
const EMPTY_STATUS = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
} as const;
const COUNTERS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

const columns: () => TableDefinition = tableOf(
  NAME,
  countColumn('Desired', 'Nodes that should run a pod.', 'status', 'desiredNumberScheduled'),
  countColumn('Current', 'Nodes that run at least one.', 'status', 'currentNumberScheduled'),
  countColumn('Ready', 'Nodes with a pod that is ready.', 'status', 'numberReady'),
  countColumn('Up-to-date', 'Nodes with a pod of the present template.', 'status', 'updatedNumberScheduled'),
  countColumn('Available', 'Nodes with a pod that is available.', 'status', 'numberAvailable'),
  column('Node Selector', 'Which nodes run a pod.', (object) =>
    labelsText(objectAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
  ),
  AGE,
  ...templateColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
);

const DAEMON_SET_STRATEGY: Strategy = strategyWithDefaults({
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  prepareForCreate: (object) => {
    beginObject(object, EMPTY_STATUS);
    const generation = templateGenerationOf(object);
    setTemplateGeneration(object, generation < 1n ? 1n : generation);
    dropDisabledPodFields(templateOf(object), undefined);
  },
  validate: (object) => [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateSpec(object, undefined),
  ],
  warningsOnCreate: (object) => podTemplateWarnings(templateOf(object), undefined, TEMPLATE),
  prepareForUpdate: (object, old) => {
    dropDisabledPodFields(templateOf(object), templateOf(old));
    keepStatus(object, old);
    const generation = templateGenerationOf(old);
    if (equalJson(templateOf(object), templateOf(old))) {
      setTemplateGeneration(object, generation);
      countSpecChange(object, old);
    } else {
      setTemplateGeneration(object, generation + 1n);
      countGeneration(object, old);
    }
  },
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object, old),
    ...validateSameSelector(object, old),
    ...validateSpec(object, old),
  ],
  warningsOnUpdate: (object, old) =>
    templateGenerationOf(object) === templateGenerationOf(old)
      ? []
      : podTemplateWarnings(templateOf(object), templateOf(old), TEMPLATE),
});

export const DAEMON_SET: KubeResource = {
  definition: storedResource({
    plural: 'daemonsets',
    shortNames: ['ds'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      withBodyCheck(
        builtInVersion({
          group: 'apps',
          version: 'v1',
          kind: 'DaemonSet',
          setDefaults: setDaemonSetDefaults,
          table: daemonSetTable,
        }),
        templateGenerationProblem,
      ),
    ],
    strategy: DAEMON_SET_STRATEGY,
    subresources: [
      statusSubresource(DAEMON_SET_STRATEGY, {
        prepareForUpdate: (object, old) => {
          keepSpec(object, old);
          setTemplateGeneration(object, templateGenerationOf(old));
        },
        validateUpdate: (object, old) => [
          ...validateMetaUpdate(object, old),
          ...validateNonnegativeFields(statusOf(object), COUNTERS, STATUS),
          ...validateCollisionCount(object, old),
        ],
      }),
    ],
  }),
};

/** The rows of a Table have the object's metadata without the template generation. */
function daemonSetTable(): TableDefinition {
  return { ...columns(), metadataSource: withoutTemplateGeneration };
}

function withoutTemplateGeneration(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  const { [TEMPLATE_GENERATION]: _generation, ...annotations } = objectAt(metadata, 'annotations') ?? {};
  const { annotations: _annotations, ...rest } = metadata;
  return { ...object, metadata: Object.keys(annotations).length === 0 ? rest : { ...metadata, annotations } };
}

function setDaemonSetDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  const strategy = ensureObject(spec, 'updateStrategy');
  setDefaultText(strategy, 'type', 'RollingUpdate');
  if (textAt(strategy, 'type') === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    setDefault(rolling, 'maxUnavailable', 1);
    setDefault(rolling, 'maxSurge', 0);
  }
  const unused = objectAt(strategy, 'rollingUpdate');
  if (unused !== undefined) for (const name of ['maxUnavailable', 'maxSurge']) setDefault(unused, name, 0);
  setDefault(spec, 'revisionHistoryLimit', 10);
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  // The annotation is a number in the reference's internal type, so a body without it has a zero.
  setTemplateGeneration(object, templateGenerationOf(object));
}

/** Returns why a body cannot be decoded: the template generation is not an integer. */
function templateGenerationProblem(object: JsonObject): string | undefined {
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  if (!Object.hasOwn(annotations, TEMPLATE_GENERATION)) return undefined;
  const parsed = parseGoInt(textAt(annotations, TEMPLATE_GENERATION));
  return parsed.ok ? undefined : parsed.message;
}

/** Returns 0 if the annotation is absent or not an integer. */
function templateGenerationOf(object: JsonObject): bigint {
  const parsed = parseGoInt(textAt(object, 'metadata', 'annotations', TEMPLATE_GENERATION));
  return parsed.ok ? BigInt(parsed.value) : 0n;
}

function setTemplateGeneration(object: JsonObject, generation: bigint): void {
  const metadata = ensureMeta(object);
  metadata['annotations'] = withEntries(objectAt(metadata, 'annotations'), {
    [TEMPLATE_GENERATION]: String(generation),
  });
}

function validateSpec(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const spec = specOf(object);
  const selector = selectorAt(object, 'spec', 'selector');
  const template = templateOf(object);
  const allowInvalidValues = old !== undefined && hasInvalidLabelValue(selectorAt(old, 'spec', 'selector'));
  const issues = validateLabelSelectorObject(selector, SPEC.child('selector'), { allowInvalidValues });
  const labels = labelsAt(template, 'metadata', 'labels');
  if (selectorMatches(selector, labels) === false) issues.push(labelsDoNotMatch(labels, TEMPLATE));
  if (selector !== undefined && isEmptySelector(selector))
    issues.push(invalidSelector(selector, SPEC.child('selector'), 'empty selector is invalid for daemonset'));
  return [
    ...issues,
    ...validatePodTemplateSpec(template, TEMPLATE, { old: old === undefined ? undefined : templateOf(old) }),
    ...validateRunsForever(template, 'DaemonSet'),
    ...validateNonnegativeFields(spec, ['minReadySeconds'], SPEC),
    ...validateUpdateStrategy(objectAt(spec, 'updateStrategy') ?? {}),
    ...validateNonnegativeFields(spec, ['revisionHistoryLimit'], SPEC),
  ];
}

function validateUpdateStrategy(strategy: JsonObject): FieldIssue[] {
  const type = textAt(strategy, 'type');
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (type === 'OnDelete') return [];
  if (type === 'RollingUpdate')
    return rolling === undefined ? [required(STRATEGY.child('rollingUpdate'), '')] : validateRollingUpdate(rolling);
  const shown = goValue(appsShapes, 'DaemonSetUpdateStrategy', strategy);
  return [declared(notSupported(STRATEGY, shown, ['RollingUpdate', 'OnDelete']))];
}

/** Exactly one of maxUnavailable and maxSurge must not be zero. */
function validateRollingUpdate(rolling: JsonObject): FieldIssue[] {
  const path = STRATEGY.child('rollingUpdate');
  const unavailable = intOrStringAt(rolling, 'maxUnavailable');
  const surge = intOrStringAt(rolling, 'maxSurge');
  const issues = [
    ...validateNonnegativeIntOrPercent(unavailable, path.child('maxUnavailable')),
    ...validateNonnegativeIntOrPercent(surge, path.child('maxSurge')),
    ...validateAtMost100Percent(unavailable, path.child('maxUnavailable')),
    ...validateAtMost100Percent(surge, path.child('maxSurge')),
  ];
  const hasUnavailable = intOrPercentValue(unavailable) !== 0;
  const hasSurge = intOrPercentValue(surge) !== 0;
  if (hasUnavailable && hasSurge)
    issues.push(
      declared(invalid(path.child('maxSurge'), surge ?? 0, 'may not be set when maxUnavailable is non-zero')),
    );
  else if (!hasUnavailable && !hasSurge)
    issues.push(required(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  return issues;
}
