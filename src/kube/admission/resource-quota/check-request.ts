/**
 * Whether a request fits into the quotas of its namespace, and what they have used if it does. Invariant: pure; a request that fits into all quotas is counted in all of them, one
 * that does not is counted in none.
 */

import { refusal } from '../../../admission/refusal.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { compareQuantity, quantitySign } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import { amountsOf } from '../../shared/resource-lists.ts';
import { type Amounts, excess, formatAmounts, mask, sum, withoutZeros } from './amounts.ts';
import type { Evaluator, ScopeSelector } from './evaluator.ts';

/** A quota as it is counted with. What is not in its status yet does not limit anything. */
export interface Quota {
  readonly object: JsonObject;
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly scopes: readonly ScopeSelector[];
}

export function quotaOf(object: JsonObject): Quota {
  const plain = textsAt(object, 'spec', 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists', values: [] }));
  const selected = objectsAt(object, 'spec', 'scopeSelector', 'matchExpressions').map((expression) => ({
    scopeName: textAt(expression, 'scopeName'),
    operator: textAt(expression, 'operator'),
    values: textsAt(expression, 'values'),
  }));
  const status = objectAt(object, 'status') ?? {};
  return {
    object,
    name: nameOf(object),
    hard: amountsOf(status['hard']),
    used: amountsOf(status['used']),
    scopes: [...plain, ...selected],
  };
}

/** The quotas with the request counted in; the same ones where it counts for nothing. Throws the refusal. `now` in milliseconds. */
export function checkRequest(
  quotas: readonly Quota[],
  attributes: AdmissionAttributes,
  evaluator: Evaluator,
  now: number,
): readonly Quota[] {
  const { object, oldObject, operation } = attributes;
  if (object === undefined) return quotas;
  const interested = quotas.filter((quota) => isInterested(quota, evaluator, object));
  for (const quota of interested) checkQuota(quota, attributes, evaluator, object);
  const usage = evaluator.usage(object, now);
  const negative = [...usage].filter(([, amount]) => quantitySign(amount) < 0).map(([name]) => name);
  if (negative.length > 0)
    throw refusal(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const before = operation === 'UPDATE' ? oldObject : undefined;
  const growth = before === undefined ? usage : excess(usage, evaluator.usage(before, now));
  return quotas.map((quota) => {
    if (!interested.includes(quota)) return quota;
    const wasCounted = before !== undefined && isInterested(quota, evaluator, before);
    return counted(quota, attributes, withoutZeros(wasCounted ? growth : usage));
  });
}

/** Whether the quota is about such objects and about this one. */
function isInterested(quota: Quota, evaluator: Evaluator, object: JsonObject): boolean {
  return (
    isAbout(quota, evaluator) && quota.scopes.every((selector) => evaluator.matchesScope?.(selector, object) === true)
  );
}

export function isAbout({ hard }: Quota, evaluator: Evaluator): boolean {
  for (const name of hard.keys()) if (evaluator.counts(name)) return true;
  return false;
}

function checkQuota(quota: Quota, attributes: AdmissionAttributes, evaluator: Evaluator, object: JsonObject): void {
  const names = [...quota.hard.keys()].filter((name) => evaluator.counts(name));
  const problem = evaluator.problem?.(names, object);
  if (problem !== undefined) throw refusal(attributes, `failed quota: ${quota.name}: ${problem}`);
  if (names.some((name) => !quota.used.has(name)))
    throw refusal(attributes, `status unknown for quota: ${quota.name}, resources: ${names.sort().join(',')}`);
}

function counted(quota: Quota, attributes: AdmissionAttributes, growth: Amounts): Quota {
  const requested = mask(growth, (name) => quota.hard.has(name));
  if (growth.size === 0) return quota;
  const used = sum(quota.used, requested);
  // A change of the status only tells what has happened.
  if (attributes.subresource !== 'status') {
    const isExceeded = (name: string): boolean => {
      const now = used.get(name);
      const most = quota.hard.get(name);
      return requested.has(name) && now !== undefined && most !== undefined && compareQuantity(now, most) > 0;
    };
    if ([...requested.keys()].some(isExceeded)) {
      const parts = [
        `exceeded quota: ${quota.name}`,
        `requested: ${formatAmounts(mask(requested, isExceeded))}`,
        `used: ${formatAmounts(mask(quota.used, isExceeded))}`,
        `limited: ${formatAmounts(mask(quota.hard, isExceeded))}`,
      ];
      throw refusal(attributes, parts.join(', '));
    }
  }
  return { ...quota, used };
}
