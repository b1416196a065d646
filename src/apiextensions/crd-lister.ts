/**
 * The definitions that there are, read once for all who need them. Invariant: listeners hear of a change in the order in which they were added, all of them before anybody else is told; `get` answers as of the last change
 * that they heard of.
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

  /** Every definition written through this server before is known. */
  fresh(): MaybePromise<void> {
    return this.#lister.fresh();
  }

  get(name: string): Crd | undefined {
    return this.#definitions.get(name);
  }

  /** Tells the whole present state first. Once. */
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
