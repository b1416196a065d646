/** ReplicaSet. Invariant: pure; the generation counts changes of the spec. */
import { ensureObject } from '../../../apimachinery/meta/object-fields.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { Strategy } from '../../../server/resource/resource-definition.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { validateNonnegativeFields } from '../../shared/numbers.ts';
import { keepStatus, metaFacts, setDefault, specOf } from '../../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  beginObject,
  countColumn,
  countSpecChange,
  generationChanged,
  keepSpec,
  METADATA,
  nameWarnings,
  SPEC,
  STATUS,
  selectorColumn,
  statusOf,
  TEMPLATE,
  templateColumns,
  templateOf,
  validateAtMost,
} from '../../shared/workload-rules.ts';
import { dropDisabledPodFields, podTemplateWarnings, setPodTemplateDefaults } from '../core/pod/pod-template-spec.ts';
import { validateSameSelector, validateSelectorAndTemplate } from './replica-template.ts';

export const replicaSetTable: () => TableDefinition = tableOf(
  NAME,
  countColumn('Desired', 'Pods that are wanted.', 'spec', 'replicas'),
  countColumn('Current', 'Pods that exist.', 'status', 'replicas'),
  countColumn('Ready', 'Pods that are ready.', 'status', 'readyReplicas'),
  AGE,
  ...templateColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
);

export function setReplicaSetDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setDefault(spec, 'replicas', 1);
  setPodTemplateDefaults(ensureObject(spec, 'template'));
}

export const REPLICA_SET_RULES: Partial<Strategy> = {
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  prepareForCreate: (object) => {
    beginObject(object, { replicas: 0 });
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
    countSpecChange(object, old);
  },
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object, old),
    ...validateSpec(object, old),
    ...validateSameSelector(object, old),
  ],
  warningsOnUpdate: (object, old) =>
    generationChanged(object, old) ? podTemplateWarnings(templateOf(object), templateOf(old), TEMPLATE) : [],
};

export const REPLICA_SET_STATUS_RULES: Partial<Strategy> = {
  prepareForUpdate: keepSpec,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object, old),
    ...validateReplicaStatus(statusOf(object), ['terminatingReplicas']),
  ],
};

function validateSpec(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  return [
    ...validateNonnegativeFields(specOf(object), ['replicas', 'minReadySeconds'], SPEC),
    ...validateSelectorAndTemplate(object, old),
  ];
}

/** The status of ReplicaSets and ReplicationControllers; `more` are further counters. */
export function validateReplicaStatus(status: JsonObject, more: readonly string[]): FieldIssue[] {
  const names = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'];
  return [
    ...validateNonnegativeFields(status, [...names, ...more], STATUS),
    ...validateAtMost(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'replicas'),
    ...validateAtMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
  ];
}
