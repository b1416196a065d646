/**
 * Caches the results of calls to the parent for a time. Concurrent callers with the same key share one call.
 * Invariants: failures are not cached. At most `limit` results are cached; the least recently used one is dropped.
 */
import type { Clock } from '../../base/clock.ts';
import { LruMap } from '../../base/lru-map.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

export interface SharedResultsOptions<V> {
  readonly clock: Clock;
  readonly limit: number;
  /** Returns how many milliseconds a result is cached. 0: only the callers that wait for the call get it. */
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

  /** Returns the cached result, or a promise for the result of a call. Rejects if the call does. */
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
