/**
 * A lister that exists before the lister behind it has started, so that a server can be composed synchronously. Until
 * `attach`, it has no objects and `fresh()` waits.
 */
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { catchUp } from './catch-up.ts';
import type { Lister, ListerChange } from './lister.ts';

type Listener = (changes: readonly ListerChange[]) => void;

export class LateLister implements Lister {
  readonly #attached = new Deferred<Lister>();
  readonly #waiting = new Map<Listener, { stop(): void } | undefined>();
  #lister: Lister | undefined;

  /** Sets the lister behind it, once, when it has started. Listeners that are already subscribed get its state. */
  attach(lister: Lister): void {
    this.#lister = lister;
    for (const listener of this.#waiting.keys()) this.#waiting.set(listener, lister.subscribe(listener));
    this.#attached.resolve(lister);
  }

  fresh(): MaybePromise<void> {
    return this.#lister === undefined ? this.#attached.promise.then((lister) => lister.fresh()) : this.#lister.fresh();
  }

  current(): MaybePromise<void> {
    if (this.#lister === undefined) return this.#attached.promise.then(() => this.current());
    return catchUp(this.#lister);
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
