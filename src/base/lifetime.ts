/**
 * Ownership of resources. A component creates one Lifetime, adds everything it opens, and stops it once. Invariant:
 * after `stop()` settles, `open()` is empty or names the resources that failed to stop. Nothing can be added to a
 * stopped lifetime.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import { BugError, toError } from './errors.ts';

export interface Stoppable extends AsyncDisposable {
  /** Idempotent. Every call returns the promise of the first. */
  stop(): Promise<void>;
}

interface Held {
  readonly name: string;
  readonly stop: () => void | Promise<void>;
}

export class Lifetime implements Stoppable {
  readonly name: string;
  readonly #held = new Set<Held>();
  #stopping: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get stopped(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Takes ownership of a resource. The returned function releases it without stopping it, for a resource that ended by
   * itself. Throws BugError once stopping has begun, because the resource would leak.
   */
  add(name: string, stop: () => void | Promise<void>): () => void {
    if (this.#stopping !== undefined) throw new BugError(`${this.name} is stopped and cannot hold ${name}`);
    const held: Held = { name, stop };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  /** Returns a lifetime that stops with this one, or earlier. */
  child(name: string): Lifetime {
    const child = new Lifetime(`${this.name}/${name}`);
    const release = this.add(name, () => child.stop());
    child.add('(parent)', release);
    return child;
  }

  /** Returns the names of the resources that are open. */
  open(): string[] {
    return [...this.#held].map((held) => held.name).filter((name) => name !== '(parent)');
  }

  /**
   * Stops the resources one after the other, last added first. A failure does not keep the others from being stopped.
   * Rejects with the failure, or with an AggregateError of several.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stopAll(): Promise<void> {
    const failures: Error[] = [];
    for (const held of [...this.#held].reverse()) {
      if (!this.#held.has(held)) continue; // released meanwhile
      try {
        await held.stop();
        this.#held.delete(held);
      } catch (caught) {
        failures.push(toError(caught));
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1)
      throw new AggregateError(failures, `${this.name}: ${failures.length} resources failed to stop`);
  }
}
