/** Conditions that the server sets on Pods. lastTransitionTime changes only with the status of the condition. */
import { fieldAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { formatTime, instantFromMillis } from '../../../../apimachinery/scalars/time.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

export interface ServerCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Replaces or adds the condition, in place. `now` is in milliseconds since the epoch. */
export function setPodCondition(status: JsonObject, condition: ServerCondition, now: number): void {
  const conditions = [...objectsAt(status, 'conditions')];
  const i = conditions.findIndex((one) => textAt(one, 'type') === condition.type);
  const old = conditions[i];
  const lastTransitionTime =
    old !== undefined && textAt(old, 'status') === condition.status
      ? (fieldAt(old, 'lastTransitionTime') ?? null)
      : formatTime(instantFromMillis(now));
  const { type, status: value, reason = '', message = '' } = condition;
  const made: JsonObject = {
    type,
    status: value,
    lastProbeTime: null,
    lastTransitionTime,
    ...(reason === '' ? undefined : { reason }),
    ...(message === '' ? undefined : { message }),
  };
  if (i < 0) conditions.push(made);
  else conditions[i] = made;
  status['conditions'] = conditions;
}
