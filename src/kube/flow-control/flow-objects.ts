/** The default flow schemas and priority levels as ensured objects. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import { danglingCondition } from './dangling-condition.ts';
import {
  AUTO_UPDATE_ANNOTATION,
  type DefaultFlow,
  defaultFlowSchemas,
  defaultPriorityLevels,
  FLOW_CONTROL_GROUP,
} from './default-flows.ts';
import { reviseFlow } from './revise-flow.ts';

/** The managers of the reference, which are the two halves of its flow control. */
const PRODUCER = 'api-priority-and-fairness-config-producer-v1';
export const FLOW_STATUS_MANAGER = 'api-priority-and-fairness-config-consumer-v1';

/** The conditions of new schemas say that their levels exist. `now` is in milliseconds. */
export function flowObjects(now: number): readonly EnsuredObject[] {
  return [
    ...defaultPriorityLevels().map((flow) =>
      flowObject('prioritylevelconfigurations', 'PriorityLevelConfiguration', flow, undefined),
    ),
    ...defaultFlowSchemas().map((flow) =>
      flowObject('flowschemas', 'FlowSchema', flow, {
        conditions: [danglingCondition(textAt(flow.spec, 'priorityLevelConfiguration', 'name'), false, now)],
      }),
    ),
  ];
}

function flowObject(plural: string, kind: string, flow: DefaultFlow, status: JsonObject | undefined): EnsuredObject {
  return {
    plural,
    object: {
      kind,
      apiVersion: `${FLOW_CONTROL_GROUP}/v1`,
      metadata: { name: flow.name, annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' } },
      spec: flow.spec,
      ...(status === undefined ? undefined : { status }),
    },
    strategy: (stored) => reviseFlow(stored, flow),
    fieldManager: PRODUCER,
    statusManager: FLOW_STATUS_MANAGER,
  };
}
