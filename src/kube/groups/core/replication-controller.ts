/** The kind ReplicationController. Its selector is a map of labels; the default is the labels of the template. */
import { ensureObject, objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { labelSelectorOfLabels, matchesLabels } from '../../../apimachinery/selectors/label-selector.ts';
import { type FieldIssue, invalid, notFound, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { Complaints } from '../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
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
import { labelsAt, labelsDoNotMatch } from '../../shared/label-selector.ts';
import { int32At, validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  beginObject,
  countColumn,
  countSpecChange,
  generationChanged,
  METADATA,
  nameWarnings,
  SPEC,
  statusOf,
  TEMPLATE,
  templateColumns,
} from '../../shared/workload-rules.ts';
import { validateReplicaStatus } from '../apps/replica-set.ts';
import { validateRunsForever } from '../apps/replica-template.ts';
import { builtInScale } from '../autoscaling/scale.ts';
import {
  dropDisabledPodFields,
  podTemplateWarnings,
  setPodTemplateDefaults,
  validatePodTemplateSpec,
} from './pod/pod-template-spec.ts';

const NON_CONVERTIBLE = 'non-convertible.kubernetes.io';

const replicationControllerTable: () => TableDefinition = tableOf(
  NAME,
  countColumn('Desired', 'Pods that are wanted.', 'spec', 'replicas'),
  countColumn('Current', 'Pods that exist.', 'status', 'replicas'),
  countColumn('Ready', 'Pods that are ready.', 'status', 'readyReplicas'),
  AGE,
  ...templateColumns('spec', 'template'),
  column('Selector', 'Which pods it owns.', (object) => labelsText(objectAt(object, 'spec', 'selector')), {
    priority: 1,
  }),
);

const REPLICATION_CONTROLLER_STRATEGY: Strategy = strategyWithDefaults({
  nameRule: nameIsLongName,
  validatesMetadata: true,
  // By default, deleting a ReplicationController keeps its pods.
  defaultGarbageCollection: 'orphan',
  prepareForCreate: (object) => {
    beginObject(object, { replicas: 0 });
    const template = templateIn(object);
    if (template !== undefined) dropDisabledPodFields(template, undefined);
  },
  validate: (object) => [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsLongName }, METADATA),
    ...validateSpec(object, undefined),
  ],
  warningsOnCreate: (object) => [...nameWarnings(object), ...templateWarnings(object, undefined)],
  prepareForUpdate: (object, old) => {
    keepStatus(object, old);
    const template = templateIn(object);
    if (template !== undefined) dropDisabledPodFields(template, templateIn(old));
    countSpecChange(object, old);
  },
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object, old),
    ...validateSpec(object, old),
    ...validateNonConvertible(object, old),
  ],
  // Kube-apiserver passes the templates in the wrong order, so the warnings are about the stored template.
  warningsOnUpdate: (object, old) => (generationChanged(object, old) ? templateWarnings(old, templateIn(object)) : []),
});

export const REPLICATION_CONTROLLER: KubeResource = {
  definition: storedResource({
    plural: 'replicationcontrollers',
    shortNames: ['rc'],
    categories: ['all'],
    scope: 'Namespaced',
    storagePrefix: 'controllers',
    versions: [
      builtInVersion({
        group: '',
        version: 'v1',
        kind: 'ReplicationController',
        setDefaults: setReplicationControllerDefaults,
        table: replicationControllerTable,
        selectableFields: ['status.replicas'],
      }),
    ],
    strategy: REPLICATION_CONTROLLER_STRATEGY,
    subresources: [
      statusSubresource(REPLICATION_CONTROLLER_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: (object, old) => [
          ...validateMetaUpdate(object, old),
          ...validateReplicaStatus(statusOf(object), []),
        ],
      }),
      builtInScale({ group: '', plural: 'replicationcontrollers', selector: 'labels' }),
    ],
  }),
};

function setReplicationControllerDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  const template = objectAt(spec, 'template');
  const labels = template === undefined ? undefined : objectAt(template, 'metadata', 'labels');
  if (labels !== undefined) {
    if (isEmpty(spec, 'selector')) spec['selector'] = { ...labels };
    if (isEmpty(ensureMeta(object), 'labels')) ensureMeta(object)['labels'] = { ...labels };
  }
  setDefault(spec, 'replicas', 1);
  if (template !== undefined) setPodTemplateDefaults(template);
}

/** A DNS subdomain, with the message of kube-apiserver's declarative validation. */
function nameIsLongName(name: string, prefix: boolean): Complaints {
  return nameIsDnsSubdomain(name, prefix).map((complaint) =>
    complaint.replace(/^(must be no more than \d+) characters$/, '$1 bytes'),
  );
}

/** Fields that the stored object's annotations list as non-convertible must not change. */
function validateNonConvertible(object: JsonObject, old: JsonObject): FieldIssue[] {
  return Object.entries(objectAt(old, 'metadata', 'annotations') ?? {}).flatMap(([key, value]) => {
    const [prefix = '', field, ...more] = key.split('/');
    if (!prefix.startsWith(NON_CONVERTIBLE) || field === undefined || more.length > 0) return [];
    if (!field.includes('selector'))
      return [{ ...notFound(FieldPath.of(field), value), detail: 'unknown non-convertible field' }];
    const selector = objectAt(object, 'spec', 'selector') ?? {};
    if (equalJson(selector, objectAt(old, 'spec', 'selector') ?? {})) return [];
    return [invalid(SPEC.child('selector'), selector, 'cannot update non-convertible selector')];
  });
}

function templateIn(object: JsonObject): JsonObject | undefined {
  return objectAt(object, 'spec', 'template');
}

function templateWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const template = templateIn(object);
  return template === undefined ? [] : podTemplateWarnings(template, old, TEMPLATE);
}

function isEmpty(object: JsonObject, name: string): boolean {
  return Object.keys(objectAt(object, name) ?? {}).length === 0;
}

function validateSpec(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const spec = specOf(object);
  const issues = validateNonnegativeFields(spec, ['minReadySeconds'], SPEC);
  if (isEmpty(spec, 'selector')) issues.push(required(SPEC.child('selector'), ''));
  if (int32At(spec, 'replicas') === undefined) issues.push(required(SPEC.child('replicas'), ''));
  issues.push(...validateNonnegativeFields(spec, ['replicas'], SPEC));
  const template = templateIn(object);
  if (template === undefined) return [...issues, required(TEMPLATE, '')];
  const labels = labelsAt(template, 'metadata', 'labels');
  const selector = labelSelectorOfLabels(labelsAt(spec, 'selector') ?? {});
  if (!matchesLabels(selector, (key) => labels?.[key])) issues.push(labelsDoNotMatch(labels, TEMPLATE));
  return [
    ...issues,
    ...validatePodTemplateSpec(template, TEMPLATE, { old: old === undefined ? undefined : templateIn(old) }),
    ...validateRunsForever(template, 'ReplicationController'),
  ];
}
