/**
 * A lister that starts at the first `fresh()`, so that a kind that is never read costs nothing. Until then it has no
 * objects. A `fresh()` whose start fails rejects, and the next one tries again.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
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

  current(): MaybePromise<void> {
    if (this.#started) return this.#late.current();
    return andThen(this.fresh(), () => this.#late.current());
  }

  get(namespace: string, name: string): JsonObject | undefined {
    return this.#late.get(namespace, name);
  }

  list(namespace?: string): readonly JsonObject[] {
    return this.#late.list(namespace);
  }

  /** Does not start the lister. */
  subscribe(listener: Listener): { stop(): void } {
    return this.#late.subscribe(listener);
  }
}
