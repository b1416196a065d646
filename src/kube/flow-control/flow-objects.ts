/** The flow schemas and priority levels of a fresh server. Invariant: what operators changed stays as `revise-flow` says. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { BootstrapObject } from '../ensurer/ensured-object.ts';
import { danglingCondition } from './dangling-condition.ts';
import {
  AUTO_UPDATE_ANNOTATION,
  type DefaultFlow,
  defaultFlowSchemas,
  defaultPriorityLevels,
  FLOW_CONTROL_GROUP,
} from './default-flows.ts';
import { reviseFlow } from './revise-flow.ts';

/** Schemas know from their creation on that their levels exist; `now` in milliseconds since the epoch. */
export function flowObjects(now: number): readonly BootstrapObject[] {
  return [
    ...defaultPriorityLevels().map((flow) =>
      flowObject('prioritylevelconfigurations', 'PriorityLevelConfiguration', flow, {}),
    ),
    ...defaultFlowSchemas().map((flow) =>
      flowObject('flowschemas', 'FlowSchema', flow, {
        conditions: [danglingCondition(textAt(flow.spec, 'priorityLevelConfiguration', 'name'), false, now)],
      }),
    ),
  ];
}

function flowObject(plural: string, kind: string, flow: DefaultFlow, status: JsonObject): BootstrapObject {
  return {
    plural,
    object: {
      kind,
      apiVersion: `${FLOW_CONTROL_GROUP}/v1`,
      metadata: { name: flow.name, annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' } },
      spec: flow.spec,
      status,
    },
    mode: (stored) => reviseFlow(stored, flow),
  };
}
