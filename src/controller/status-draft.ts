/**
 * Collects the status that one reconcile sets.
 * Invariant: the lastTransitionTime of a condition changes only together with its status.
 */
import { formatTime, instantFromMillis } from '../apimachinery/scalars/time.ts';
import type { Stored } from '../client/object-types.ts';
import type { Condition } from '../kinds/api/meta/v1.ts';
import type { StatusDraft } from './reconcile.ts';

export class CollectedStatus implements StatusDraft {
  readonly #object: Stored<unknown>;
  readonly #now: () => number;
  readonly #conditions = new Map<string, Condition>();
  #fields: Record<string, unknown> | undefined;

  constructor(object: Stored<unknown>, now: () => number) {
    this.#object = object;
    this.#now = now;
  }

  set(fields: Readonly<Record<string, unknown>>): StatusDraft {
    this.#fields = { ...this.#fields, ...fields };
    return this;
  }

  condition(type: string, status: boolean | 'Unknown', reason: string, message = ''): StatusDraft {
    this.#fields ??= {};
    const state = status === 'Unknown' ? 'Unknown' : status ? 'True' : 'False';
    const known = conditionsOf(this.#object).find((one) => one.type === type);
    const { generation } = this.#object.metadata;
    this.#conditions.set(type, {
      type,
      status: state,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime:
        known?.status === state && known.lastTransitionTime !== undefined
          ? known.lastTransitionTime
          : formatTime(instantFromMillis(this.#now())),
      reason,
      message,
    });
    return this;
  }

  /** Returns the status to apply; undefined if the reconcile has set none. */
  collected(): Readonly<Record<string, unknown>> | undefined {
    if (this.#fields === undefined || this.#conditions.size === 0) return this.#fields;
    const given = this.#fields['conditions'];
    const others = Array.isArray(given) ? (given as Condition[]).filter(({ type }) => !this.#conditions.has(type)) : [];
    return { ...this.#fields, conditions: [...others, ...this.#conditions.values()] };
  }
}

function conditionsOf(object: Stored<unknown>): readonly Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } };
  return Array.isArray(status?.conditions) ? (status.conditions as Condition[]) : [];
}
