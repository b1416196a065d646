/**
 * A lister that is there before its store has started, so that a server can be put together without waiting. Invariant: `fresh()` resolves only after the store has
 * started; until then there is nothing to get.
 */
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Lister, ListerChange } from './lister.ts';

type Listener = (changes: readonly ListerChange[]) => void;

export class LateLister implements Lister {
  readonly #attached = new Deferred<Lister>();
  readonly #waiting = new Map<Listener, { stop(): void } | undefined>();
  #lister: Lister | undefined;

  /** Once, when the store has started. */
  attach(lister: Lister): void {
    this.#lister = lister;
    for (const listener of this.#waiting.keys()) this.#waiting.set(listener, lister.subscribe(listener));
    this.#attached.resolve(lister);
  }

  fresh(): MaybePromise<void> {
    return this.#lister === undefined ? this.#attached.promise.then((lister) => lister.fresh()) : this.#lister.fresh();
  }

  get(namespace: string, name: string): JsonObject | undefined {
    return this.#lister?.get(namespace, name);
  }

  list(namespace?: string): readonly JsonObject[] {
    return this.#lister?.list(namespace) ?? [];
  }

  subscribe(listener: Listener): { stop(): void } {
    this.#waiting.set(listener, this.#lister?.subscribe(listener));
    return {
      stop: () => {
        this.#waiting.get(listener)?.stop();
        this.#waiting.delete(listener);
      },
    };
  }
}
