/**
 * The CustomResourceDefinitions of the server, each parsed once for all readers. Invariant: for every batch of changes,
 * all listeners are called in the order in which they were given to `follow`, before the next batch; `get` returns the
 * state as of the batch that listeners were called with last.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Lister, ListerChange } from '../server/own/lister.ts';
import { type Crd, readCrd } from './crd.ts';

export interface CrdChange {
  readonly name: string;
  /** Undefined for a deletion. */
  readonly crd: Crd | undefined;
}

export type CrdListener = (changes: readonly CrdChange[]) => void;

export class CrdLister {
  readonly #lister: Lister;
  readonly #definitions = new Map<string, Crd>();
  #listeners: readonly CrdListener[] = [];
  #subscription: { stop(): void } | undefined;

  constructor(lister: Lister) {
    this.#lister = lister;
  }

  /**
   * Waits until every definition that was written through this server before this call is known. Synchronous if it is.
   */
  fresh(): MaybePromise<void> {
    return this.#lister.fresh();
  }

  get(name: string): Crd | undefined {
    return this.#definitions.get(name);
  }

  /** Calls the listeners with the whole present state, then with every change. Call it once. */
  follow(...listeners: readonly CrdListener[]): void {
    this.#listeners = listeners;
    this.#subscription = this.#lister.subscribe((changes) => this.#changed(changes));
  }

  stop(): void {
    this.#subscription?.stop();
    this.#listeners = [];
  }

  #changed(changes: readonly ListerChange[]): void {
    const read = changes.map(({ name, object }): CrdChange => {
      const crd = object === undefined ? undefined : readCrd(object);
      if (crd === undefined) this.#definitions.delete(name);
      else this.#definitions.set(name, crd);
      return { name, crd };
    });
    for (const listener of this.#listeners) listener(read);
  }
}
