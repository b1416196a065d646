/**
 * Conditions of a definition's status. Invariant: the time of a condition moves only when its status changes; conditions keep their places.
 */

import { ensureObject } from '../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonArray, type JsonObject } from '../../base/json-value.ts';
import type { ConditionType, Crd, CrdCondition } from '../crd.ts';

/** What a condition is to say; when it began to say so is found out by `setCondition`. */
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

/** True if they say the same, whenever they began to. */
export function isSameCondition(a: WantedCondition | undefined, b: CrdCondition | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** Writes a condition into an object of one's own. `now` is a time as metadata has it; it is kept if the status changed or had no time. */
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

/** Takes a condition out of an object of one's own. */
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
