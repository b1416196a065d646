/**
 * Results of calls to the parent, kept for a time. Callers that ask for the same key at the same time share one call.
 * Invariants: a failure is not kept. There are at most `limit` results; the least recently used is dropped.
 */
import type { Clock } from '../../base/clock.ts';
import { LruMap } from '../../base/lru-map.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

export interface SharedResultsOptions<V> {
  readonly clock: Clock;
  readonly limit: number;
  /** How long a result is used, in milliseconds. 0: only the callers that wait for the call get it. */
  lifetimeMs(value: V): number;
}

export class SharedResults<V> {
  readonly #options: SharedResultsOptions<V>;
  readonly #kept: LruMap<string, { readonly value: V; readonly until: number }>;
  readonly #running = new Map<string, Promise<V>>();

  constructor(options: SharedResultsOptions<V>) {
    this.#options = options;
    this.#kept = new LruMap(options.limit);
  }

  /** Returns the kept result at once, or that of a call. Rejects if the call does. */
  get(key: string, call: () => Promise<V>): MaybePromise<V> {
    const found = this.#kept.get(key);
    if (found !== undefined && this.#options.clock.monotonic() < found.until) return found.value;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = this.#call(key, call);
    this.#running.set(key, started);
    return started;
  }

  async #call(key: string, call: () => Promise<V>): Promise<V> {
    try {
      const value = await call();
      const lifetime = this.#options.lifetimeMs(value);
      if (lifetime > 0) this.#kept.set(key, { value, until: this.#options.clock.monotonic() + lifetime });
      return value;
    } finally {
      this.#running.delete(key);
    }
  }
}
