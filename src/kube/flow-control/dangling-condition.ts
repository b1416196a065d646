/**
 * The condition Dangling of a flow schema: whether its priority level is missing. Its message equals the reference's.
 */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import type { JsonObject } from '../../base/json-value.ts';

/** `now` is in milliseconds since 1970. */
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
