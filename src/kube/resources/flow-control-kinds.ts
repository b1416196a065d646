/** flowcontrol.apiserver.k8s.io: flow schemas and priority levels. Invariant: how they work is in `rules/`; how requests are matched to them in `flow-control/`. */
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import { FLOW_CONTROL_GROUP } from '../flow-control/default-flows.ts';
import {
  flowSchemaTable,
  prepareFlowStatusForUpdate,
  setFlowSchemaDefaults,
  validateFlowConditions,
  validateFlowSchema,
} from '../groups/flowcontrol/flow-schema.ts';
import {
  priorityLevelTable,
  setPriorityLevelDefaults,
  validatePriorityLevel,
} from '../groups/flowcontrol/priority-level.ts';
import type { KubeResource } from '../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, keepStatus } from '../shared/object-fields.ts';

const VERSION = { group: FLOW_CONTROL_GROUP, version: 'v1' } as const;

export function flowControlResources(): readonly KubeResource[] {
  return [{ definition: FLOW_SCHEMAS }, { definition: PRIORITY_LEVELS }];
}

function strategyWith(validate: NonNullable<Strategy['validate']>): Strategy {
  return builtInStrategy({
    countsGeneration: true,
    prepareForCreate: clearStatus,
    validate,
    validatesMetadata: true,
    prepareForUpdate: keepStatus,
    validateUpdate: (object, _old, context) => validate(object, context),
  });
}

function statusOf(strategy: Strategy) {
  return updateSubresource('status', {
    ...strategy,
    prepareForUpdate: prepareFlowStatusForUpdate,
    validateUpdate: validateFlowConditions,
  });
}

const FLOW_SCHEMA_STRATEGY: Strategy = strategyWith(validateFlowSchema);

const FLOW_SCHEMAS: ResourceDefinition = storedResource({
  plural: 'flowschemas',
  scope: 'Cluster',
  versions: [
    builtInVersion({ ...VERSION, kind: 'FlowSchema', setDefaults: setFlowSchemaDefaults, table: flowSchemaTable }),
  ],
  strategy: FLOW_SCHEMA_STRATEGY,
  subresources: [statusOf(FLOW_SCHEMA_STRATEGY)],
});

const PRIORITY_LEVEL_STRATEGY: Strategy = strategyWith(validatePriorityLevel);

const PRIORITY_LEVELS: ResourceDefinition = storedResource({
  plural: 'prioritylevelconfigurations',
  scope: 'Cluster',
  versions: [
    builtInVersion({
      ...VERSION,
      kind: 'PriorityLevelConfiguration',
      setDefaults: setPriorityLevelDefaults,
      table: priorityLevelTable,
    }),
  ],
  strategy: PRIORITY_LEVEL_STRATEGY,
  subresources: [statusOf(PRIORITY_LEVEL_STRATEGY)],
});
