/** The kind ReplicaSet. */
import { ensureObject } from '../../../apimachinery/meta/object-fields.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepSpec, setDefault, specOf } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { validateNonnegativeFields } from '../../shared/numbers.ts';
import { validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  countColumn,
  countSpecChange,
  SPEC,
  STATUS,
  selectorColumn,
  statusOf,
  templateColumns,
  validateAtMost,
} from '../../shared/workload-rules.ts';
import { builtInScale } from '../autoscaling/scale.ts';
import { setPodTemplateDefaults } from '../core/pod/pod-template-spec.ts';
import { replicaStrategy, validateSelectorAndTemplate } from './replica-template.ts';

const replicaSetTable: () => TableDefinition = tableOf(
  NAME,
  countColumn('Desired', 'Pods that are wanted.', 'spec', 'replicas'),
  countColumn('Current', 'Pods that exist.', 'status', 'replicas'),
  countColumn('Ready', 'Pods that are ready.', 'status', 'readyReplicas'),
  AGE,
  ...templateColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
);

const REPLICA_SET_STRATEGY: Strategy = replicaStrategy({
  emptyStatus: { replicas: 0 },
  validateSpec,
  countChange: countSpecChange,
});

export const REPLICA_SET: KubeResource = {
  definition: storedResource({
    plural: 'replicasets',
    shortNames: ['rs'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'apps',
        version: 'v1',
        kind: 'ReplicaSet',
        setDefaults: setReplicaSetDefaults,
        table: replicaSetTable,
      }),
    ],
    strategy: REPLICA_SET_STRATEGY,
    subresources: [
      statusSubresource(REPLICA_SET_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: (object, old) => [
          ...validateMetaUpdate(object, old),
          ...validateReplicaStatus(statusOf(object), ['terminatingReplicas']),
        ],
      }),
      builtInScale({ group: 'apps', plural: 'replicasets', selector: 'object' }),
    ],
  }),
};

function setReplicaSetDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setDefault(spec, 'replicas', 1);
  setPodTemplateDefaults(ensureObject(spec, 'template'));
}

function validateSpec(object: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  return [
    ...validateNonnegativeFields(specOf(object), ['replicas', 'minReadySeconds'], SPEC),
    ...validateSelectorAndTemplate(object, old),
  ];
}

/** Validates the status of a ReplicaSet or ReplicationController. `more` names counters beyond the common ones. */
export function validateReplicaStatus(status: JsonObject, more: readonly string[]): FieldIssue[] {
  const names = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'];
  return [
    ...validateNonnegativeFields(status, [...names, ...more], STATUS),
    ...validateAtMost(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'replicas'),
    ...validateAtMost(status, ['availableReplicas'], 'readyReplicas', 'cannot be greater than readyReplicas'),
  ];
}
