/** The condition of a flow schema that tells whether its priority level exists. Invariant: the words are the reference's. */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** `now` in milliseconds since the epoch. */
export function danglingCondition(level: string, dangling: boolean, now: number): JsonObject {
  const end = dangling ? 'but there is no such object' : 'and it exists';
  return {
    type: 'Dangling',
    status: dangling ? 'True' : 'False',
    lastTransitionTime: formatTime(instantFromMillis(now)),
    reason: dangling ? 'NotFound' : 'Found',
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" ${end}`,
  };
}
