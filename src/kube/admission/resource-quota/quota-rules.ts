/**
 * The rules of ResourceQuotas for the control loop that keeps their status. They use the evaluators of the admission
 * plugin, so both count the same.
 */
import type { GroupResource } from '../../../apimachinery/meta/gvk.ts';
import { fieldAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatQuantity, quantityFromInt, ZERO_QUANTITY } from '../../../apimachinery/scalars/quantity.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { addAmounts, amountsOf, type ResourceAmounts } from '../../shared/resource-lists.ts';
import { type Amounts, equalAmounts, mask } from './amounts.ts';
import { scopesOf } from './check-request.ts';
import type { Evaluator, ScopeSelector } from './evaluator.ts';
import { evaluatorOf, resourcesCounting } from './evaluators.ts';

export interface QuotaStatus {
  readonly hard: Readonly<Record<string, string>>;
  readonly used: Readonly<Record<string, string>>;
}

/** Quotas and objects are read-only. `now` returns the time in milliseconds. */
export class QuotaRules {
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The resources that the limits in the spec concern. */
  resourcesOf(quota: object): readonly GroupResource[] {
    const found = new Map<string, GroupResource>();
    for (const name of limitsOf(quota).keys())
      for (const resource of resourcesCounting(name)) found.set(`${resource.group}/${resource.resource}`, resource);
    return [...found.values()];
  }

  tally(quota: object, resource: GroupResource): Tally {
    const evaluator = evaluatorOf(resource);
    const names = [...limitsOf(quota).keys()].filter((name) => evaluator?.counts(name) === true);
    return new Tally({ evaluator, names, scopes: scopesOf(quota as JsonObject), now: this.#now() });
  }

  /** A limit that no tally concerns keeps its recorded usage. Returns undefined if the status is right already. */
  statusOf(quota: object, tallies: readonly Tally[]): QuotaStatus | undefined {
    const hard = limitsOf(quota);
    const recorded = fieldAt(quota as JsonObject, 'status', 'used');
    const recordedHard = fieldAt(quota as JsonObject, 'status', 'hard');
    const used = mask(amountsOf(recorded), (name) => hard.has(name));
    const counted: ResourceAmounts = new Map();
    for (const tally of tallies) addAmounts(counted, tally.used());
    for (const [name, amount] of counted) used.set(name, amount);
    const isRight =
      recorded !== undefined &&
      recordedHard !== undefined &&
      equalAmounts(hard, amountsOf(recordedHard)) &&
      equalAmounts(used, amountsOf(recorded));
    return isRight ? undefined : { hard: sortedList(hard), used: sortedList(used) };
  }

  changesUsage(quota: object, resource: GroupResource, before: JsonObject, after: JsonObject): boolean {
    const evaluator = evaluatorOf(resource);
    if (evaluator === undefined || evaluator.isUniform === true) return false;
    const scopes = scopesOf(quota as JsonObject);
    if (isInScopes(evaluator, scopes, before) !== isInScopes(evaluator, scopes, after)) return true;
    const now = this.#now();
    return !equalAmounts(evaluator.usage(before, now), evaluator.usage(after, now));
  }
}

interface TallyOptions {
  readonly evaluator: Evaluator | undefined;
  /** The limits of the quota that the resource counts towards. */
  readonly names: readonly string[];
  readonly scopes: readonly ScopeSelector[];
  readonly now: number;
}

class Tally {
  readonly readsObjects: boolean;
  readonly #options: TallyOptions;
  readonly #used: ResourceAmounts;

  constructor(options: TallyOptions) {
    this.#options = options;
    this.readsObjects = options.evaluator !== undefined && options.evaluator.isUniform !== true;
    this.#used = new Map(options.names.map((name) => [name, ZERO_QUANTITY]));
  }

  add(object: JsonObject): void {
    const { evaluator, scopes, now } = this.#options;
    if (evaluator !== undefined && isInScopes(evaluator, scopes, object))
      addAmounts(this.#used, evaluator.usage(object, now));
  }

  addCount(count: number): void {
    const { evaluator, scopes, names } = this.#options;
    // Objects that are only counted are in no scope.
    if (evaluator === undefined || scopes.length > 0) return;
    addAmounts(this.#used, new Map(names.map((name) => [name, quantityFromInt(count)])));
  }

  used(): ResourceAmounts {
    return mask(this.#used, (name) => this.#options.names.includes(name));
  }
}

function limitsOf(quota: object): ResourceAmounts {
  return amountsOf(fieldAt(quota as JsonObject, 'spec', 'hard'));
}

function isInScopes(evaluator: Evaluator, scopes: readonly ScopeSelector[], object: JsonObject): boolean {
  return scopes.every((selector) => evaluator.matchesScope?.(selector, object) === true);
}

function sortedList(amounts: Amounts): Readonly<Record<string, string>> {
  const sorted = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, amount]) => [name, formatQuantity(amount)]));
}
