/**
 * A lister that starts when somebody first needs it, so that kinds that nobody asks about cost nothing. Invariant: `fresh()` resolves only after the lister has
 * started; before that there is nothing to get. A start that failed is tried again by the next question.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { LateLister } from './late-lister.ts';
import type { Lister, ListerChange } from './lister.ts';

type Listener = (changes: readonly ListerChange[]) => void;

export class LazyLister implements Lister {
  readonly #late = new LateLister();
  readonly #start: () => Promise<Lister>;
  #starting: Promise<void> | undefined;
  #started = false;

  constructor(start: () => Promise<Lister>) {
    this.#start = start;
  }

  fresh(): MaybePromise<void> {
    if (this.#started) return this.#late.fresh();
    this.#starting ??= this.#start().then(
      (lister) => {
        this.#started = true;
        this.#late.attach(lister);
      },
      (error: unknown) => {
        this.#starting = undefined;
        throw error;
      },
    );
    return this.#starting.then(() => this.#late.fresh());
  }

  get(namespace: string, name: string): JsonObject | undefined {
    return this.#late.get(namespace, name);
  }

  list(namespace?: string): readonly JsonObject[] {
    return this.#late.list(namespace);
  }

  /** Does not start it. */
  subscribe(listener: Listener): { stop(): void } {
    return this.#late.subscribe(listener);
  }
}
