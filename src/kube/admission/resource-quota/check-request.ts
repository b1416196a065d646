/**
 * The check of one request against the quotas of its namespace.
 * Invariant: a request is counted either in every quota that matches it, or in none.
 */

import { refusal } from '../../../admission/refusal.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { compareQuantity, quantitySign } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { unknown } from '../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import { amountsOf } from '../../shared/resource-lists.ts';
import { type Amounts, excess, formatAmounts, mask, sum, withoutZeros } from './amounts.ts';
import type { Evaluator, ScopeSelector } from './evaluator.ts';
import { type LimitedResource, limitedNames, limitedScopes, scopeSelectorsAt } from './limited-resources.ts';

/** A parsed quota. Its limits are those of `status.hard`: a limit that is only in the spec has no effect yet. */
export interface Quota {
  readonly object: JsonObject;
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly scopes: readonly ScopeSelector[];
}

/** The scopes of a quota: those of `spec.scopes` as selectors, then those of `spec.scopeSelector`. */
export function scopesOf(object: JsonObject): readonly ScopeSelector[] {
  const plain = textsAt(object, 'spec', 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists', values: [] }));
  return [...plain, ...scopeSelectorsAt(object, 'spec', 'scopeSelector', 'matchExpressions')];
}

export function quotaOf(object: JsonObject): Quota {
  const status = objectAt(object, 'status') ?? {};
  return {
    object,
    name: nameOf(object),
    hard: amountsOf(status['hard']),
    used: amountsOf(status['used']),
    scopes: scopesOf(object),
  };
}

export interface CheckOptions {
  /** The time in milliseconds. */
  readonly now: number;
  /** Resources that a quota must cover. Default none. */
  readonly limited?: readonly LimitedResource[] | undefined;
}

/**
 * Returns the quotas with the usage of the request added; a quota that does not match the request is returned as it is.
 * Throws the refusal.
 */
export function checkRequest(
  quotas: readonly Quota[],
  attributes: AdmissionAttributes,
  evaluator: Evaluator,
  { now, limited = [] }: CheckOptions,
): readonly Quota[] {
  const { object, oldObject, operation } = attributes;
  if (object === undefined) return quotas;
  const matching = quotas.filter((quota) => matchesObject(quota, evaluator, object));
  for (const quota of matching) checkQuota(quota, attributes, evaluator, object);
  const usage = evaluator.usage(object, now);
  const negative = [...usage].filter(([, amount]) => quantitySign(amount) < 0).map(([name]) => name);
  if (negative.length > 0)
    throw refusal(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const before = operation === 'UPDATE' ? oldObject : undefined;
  const growth = before === undefined ? usage : excess(usage, evaluator.usage(before, now));
  const charges = new Map(
    matching.map((quota) => {
      const wasCounted = before !== undefined && matchesObject(quota, evaluator, before);
      return [quota, withoutZeros(wasCounted ? growth : usage)];
    }),
  );
  const charged = matching.length === 0 ? [withoutZeros(growth)] : [...charges.values()];
  if (limited.length > 0 && charged.some(({ size }) => size > 0)) {
    checkCoveredNames(limitedNames(limited, attributes.resource, usage), matching, attributes, evaluator);
    checkCoveredScopes(limitedScopes(limited, evaluator, object), quotas, evaluator, object);
  }
  return quotas.map((quota) => {
    const charge = charges.get(quota);
    return charge === undefined ? quota : counted(quota, attributes, charge);
  });
}

/** Refuses limited amounts that no matching quota limits. */
function checkCoveredNames(
  names: readonly string[],
  matching: readonly Quota[],
  attributes: AdmissionAttributes,
  evaluator: Evaluator,
): void {
  const isCovered = (name: string): boolean => evaluator.counts(name) && matching.some(({ hard }) => hard.has(name));
  const missing = names.filter((name) => !isCovered(name)).sort(compareUtf8);
  if (missing.length > 0) throw refusal(attributes, `insufficient quota to consume: ${missing.join(',')}`);
}

/** Refuses limited scopes of an object that no quota has. The reference answers with a 500. */
function checkCoveredScopes(
  scopes: readonly ScopeSelector[],
  quotas: readonly Quota[],
  evaluator: Evaluator,
  object: JsonObject,
): void {
  const covered = quotas.flatMap((quota) =>
    quota.scopes.filter((scope) => evaluator.matchesScope?.(scope, object) === true).map(({ scopeName }) => scopeName),
  );
  const missing = scopes.filter(({ scopeName }) => !covered.includes(scopeName));
  if (missing.length === 0) return;
  const shown = missing.map(({ scopeName, operator, values }) => `{${scopeName} ${operator} [${values.join(' ')}]}`);
  throw new StatusError(unknown(`insufficient quota to match these scopes: [${shown.join(' ')}]`));
}

/** Returns true if the quota limits the kind and the object is in all of its scopes. */
function matchesObject(quota: Quota, evaluator: Evaluator, object: JsonObject): boolean {
  return (
    limitsKind(quota, evaluator) &&
    quota.scopes.every((selector) => evaluator.matchesScope?.(selector, object) === true)
  );
}

/** Returns true if the quota limits a resource that the evaluator counts. */
export function limitsKind({ hard }: Quota, evaluator: Evaluator): boolean {
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
  // A status records what has happened already, so it is counted but never refused.
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
