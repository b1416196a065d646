/**
 * Counts the writes of a store that are not answered yet. stop() waits until there are none.
 * Invariant: a write is counted until its promise has settled, and no longer when its caller learns the result.
 */
import { Deferred } from '../base/deferred.ts';

export class InFlight {
  #count = 0;
  #idle: Deferred<void> | undefined;

  /** Starts a write and counts it. If `start` throws, the result rejects with the error. */
  run<R>(start: () => Promise<R>): Promise<R> {
    let result: Promise<R>;
    try {
      result = start();
    } catch (caught) {
      return Promise.reject(caught);
    }
    this.#count++;
    return result.then(this.#done as (value: R) => R, this.#failed);
  }

  /** Resolves when no write is in flight. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    this.#idle ??= new Deferred<void>();
    return this.#idle.promise;
  }

  readonly #done = (value: unknown): unknown => {
    this.#leave();
    return value;
  };

  readonly #failed = (caught: unknown): never => {
    this.#leave();
    throw caught;
  };

  #leave(): void {
    if (--this.#count > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
