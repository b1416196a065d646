/**
 * The plugin ResourceQuota, which limits the total usage of a namespace.
 * Invariant: a request is admitted only after its usage was written to the status of every quota that counts it.
 * Requests to one namespace are checked batch after batch, so concurrent requests never exceed a quota. Deletes and
 * failed requests free no usage here: the loop resourcequota-controller counts the objects again.
 */

import { formatGroupResource } from '../../../apimachinery/meta/gvk.ts';
import { Deferred } from '../../../base/deferred.ts';
import { toError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { createNamespaceIndex } from '../namespace-index.ts';
import { type Amounts, equalAmounts } from './amounts.ts';
import { checkRequest, limitsKind, type Quota, quotaOf } from './check-request.ts';
import type { Evaluator } from './evaluator.ts';
import { evaluatorOf } from './evaluators.ts';
import { type LimitedResource, mayBeLimited } from './limited-resources.ts';

export interface ResourceQuotaAdmission {
  readonly quotas: Lister;
  /** Writes `status.used` of a quota. Rejects with a StatusError if the quota has changed since. */
  readonly writeUsed: (quota: JsonObject, used: Amounts) => Promise<void>;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Resources that a quota must cover. Default none. */
  readonly limited?: readonly LimitedResource[] | undefined;
}

interface Waiter {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: Evaluator;
  readonly done: Deferred<void>;
}

/** The reference's number of retries after a conflict. */
const RETRIES = 3;

export function resourceQuota(options: ResourceQuotaAdmission): AdmissionPlugin {
  const { limited = [] } = options;
  const index = createNamespaceIndex(options.quotas);
  const evaluators = new Map<string, Evaluator | undefined>();
  const parsed = new WeakMap<JsonObject, Quota>();
  const quotasIn = (namespace: string): readonly Quota[] =>
    index.in(namespace).map((object) => {
      let quota = parsed.get(object);
      if (quota === undefined) {
        quota = quotaOf(object);
        parsed.set(object, quota);
      }
      return quota;
    });
  const queue = new QuotaQueue(options, async (namespace, isAfterConflict) => {
    await (isAfterConflict ? index.current() : index.fresh());
    return quotasIn(namespace);
  });
  const evaluatorFor = ({ resource }: AdmissionAttributes): Evaluator | undefined => {
    const name = formatGroupResource(resource);
    if (!evaluators.has(name)) evaluators.set(name, evaluatorOf(resource));
    return evaluators.get(name);
  };
  const check = (attributes: AdmissionAttributes): MaybePromise<void> => {
    const { namespace, resource } = attributes;
    if (index.in(namespace).length === 0 && limited.length === 0) return undefined;
    const evaluator = evaluatorFor(attributes);
    if (evaluator === undefined || !evaluator.handles(attributes)) return undefined;
    const isCounted = quotasIn(namespace).some((quota) => limitsKind(quota, evaluator));
    if (!isCounted && !mayBeLimited(limited, resource, evaluator)) return undefined;
    return queue.check(namespace, attributes, evaluator);
  };
  return {
    name: 'ResourceQuota',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate: (attributes) => {
      if (attributes.namespace === '' || isNewNamespace(attributes)) return undefined;
      return andThen(index.fresh(), () => check(attributes));
    },
  };
}

function isNewNamespace({ operation, kind }: AdmissionAttributes): boolean {
  return operation === 'CREATE' && kind.group === '' && kind.kind === 'Namespace';
}

/** Returns the quotas of a namespace. After a conflict they include the write of another server that caused it. */
type CurrentQuotas = (namespace: string, isAfterConflict: boolean) => Promise<readonly Quota[]>;

/** Queues requests per namespace and checks them in batches. */
class QuotaQueue {
  readonly #options: ResourceQuotaAdmission;
  readonly #current: CurrentQuotas;
  /**
   * The requests that wait for the running batch of their namespace. A namespace without a running batch has no entry.
   * Bounded by the limit of requests in flight.
   */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(options: ResourceQuotaAdmission, current: CurrentQuotas) {
    this.#options = options;
    this.#current = current;
  }

  /** Resolves when the request is admitted and its usage is written. Rejects with the refusal. */
  check(namespace: string, attributes: AdmissionAttributes, evaluator: Evaluator): Promise<void> {
    const waiter: Waiter = { attributes, evaluator, done: new Deferred() };
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) waiting.push(waiter);
    else {
      this.#waiting.set(namespace, [waiter]);
      void this.#run(namespace);
    }
    return waiter.done.promise;
  }

  async #run(namespace: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(namespace) ?? [];
      if (batch.length === 0) break;
      this.#waiting.set(namespace, []);
      try {
        await this.#settle(namespace, await this.#current(namespace, false), batch, RETRIES);
      } catch (error) {
        for (const { done } of batch) done.reject(toError(error));
      }
    }
    this.#waiting.delete(namespace);
  }

  async #settle(namespace: string, quotas: readonly Quota[], batch: readonly Waiter[], retries: number): Promise<void> {
    let counted = quotas;
    // A retry has only the quotas that changed, so it cannot decide whether all resources are covered.
    const limited = retries === RETRIES ? this.#options.limited : undefined;
    const pending: Waiter[] = [];
    for (const waiter of batch) {
      const { attributes, evaluator, done } = waiter;
      try {
        const next = checkRequest(counted, attributes, evaluator, { now: this.#options.now(), limited });
        if (attributes.dryRun || next.every((quota, i) => hasSameUsage(quota, counted[i]))) done.resolve(undefined);
        else {
          counted = next;
          pending.push(waiter);
        }
      } catch (error) {
        done.reject(toError(error));
      }
    }
    if (pending.length === 0) return;
    const failed = new Map<string, unknown>();
    for (const [i, quota] of counted.entries()) {
      if (hasSameUsage(quota, quotas[i])) continue;
      try {
        await this.#options.writeUsed(quota.object, quota.used);
      } catch (error) {
        failed.set(quota.name, error);
      }
    }
    if (failed.size === 0) for (const { done } of pending) done.resolve(undefined);
    else if (retries === 0) for (const { done } of pending) done.reject(toError([...failed.values()].at(-1)));
    else {
      const current = await this.#current(namespace, true);
      await this.#settle(
        namespace,
        current.filter(({ name }) => failed.has(name)),
        pending,
        retries - 1,
      );
    }
  }
}

function hasSameUsage(a: Quota, b: Quota | undefined): boolean {
  return a === b || (b !== undefined && equalAmounts(a.used, b.used));
}
