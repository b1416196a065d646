/**
 * Conditions in the status of a definition. Invariants: lastTransitionTime changes only when the status of a condition
 * changes; conditions keep their positions.
 */

import { ensureObject } from '../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonArray, type JsonObject } from '../../base/json-value.ts';
import type { ConditionType, Crd, CrdCondition } from '../crd.ts';

/** The wanted content of a condition. `setCondition` adds the transition time. */
export interface WantedCondition {
  readonly type: ConditionType;
  readonly status: CrdCondition['status'];
  readonly reason: string;
  readonly message: string;
}

export function findCondition(crd: Pick<Crd, 'conditions'>, type: ConditionType): CrdCondition | undefined {
  return crd.conditions.find((condition) => condition.type === type);
}

export function isConditionTrue(crd: Pick<Crd, 'conditions'>, type: ConditionType): boolean {
  return findCondition(crd, type)?.status === 'True';
}

/** Compares all fields but the transition time. */
export function isSameCondition(a: WantedCondition | undefined, b: CrdCondition | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/**
 * Sets a condition of the object, in place. `now` is an RFC 3339 time. It becomes the transition time if the status
 * changes or the condition has no time yet.
 */
export function setCondition(object: JsonObject, wanted: WantedCondition, now: string): void {
  const { type, status, reason, message } = wanted;
  const conditions = conditionsOf(object);
  const present = conditions.find((item) => isJsonObject(item) && item['type'] === type);
  if (!isJsonObject(present)) {
    conditions.push({ type, status, lastTransitionTime: now, reason, message });
    return;
  }
  if (present['status'] !== status || typeof present['lastTransitionTime'] !== 'string')
    present['lastTransitionTime'] = now;
  present['status'] = status;
  present['reason'] = reason;
  present['message'] = message;
}

/** Removes a condition of the object, in place. */
export function removeCondition(object: JsonObject, type: ConditionType): void {
  const status = ensureObject(object, 'status');
  status['conditions'] = conditionsOf(object).filter((item) => !isJsonObject(item) || item['type'] !== type);
}

function conditionsOf(object: JsonObject): JsonArray {
  const status = ensureObject(object, 'status');
  const present = getField(status, 'conditions');
  if (Array.isArray(present)) return present;
  const made: JsonArray = [];
  status['conditions'] = made;
  return made;
}
