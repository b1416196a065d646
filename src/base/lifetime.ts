/**
 * Ownership of resources as a value. A component makes one Lifetime, adds everything it opens, and stops it once.
 * Invariant: after `stop()` settles `open()` is empty, or names what refused to stop; nothing can be added to a stopped lifetime.
 */
import { BugError, toError } from './errors.ts';

export interface Stoppable extends AsyncDisposable {
  /** Idempotent; the second call returns the same promise as the first. */
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
   * Takes over a resource; the returned function gives it back un-stopped (it ended by itself).
   * Throws BugError once stopping has begun: the caller would leak it.
   */
  add(name: string, stop: () => void | Promise<void>): () => void {
    if (this.#stopping !== undefined) throw new BugError(`${this.name} is stopped and cannot hold ${name}`);
    const held: Held = { name, stop };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  /** A lifetime of its own that stops with this one, or earlier. */
  child(name: string): Lifetime {
    const child = new Lifetime(`${this.name}/${name}`);
    const release = this.add(name, () => child.stop());
    child.add('(parent)', release);
    return child;
  }

  /** Names of what is still open. */
  open(): string[] {
    return [...this.#held].map((held) => held.name).filter((name) => name !== '(parent)');
  }

  /** Stops everything in reverse order of adding, one after the other; a failure does not keep the rest from stopping. */
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
      if (!this.#held.has(held)) continue; // given back meanwhile
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
