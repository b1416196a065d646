/**
 * A control loop over keys: informers add keys to a work queue, and `sync` brings the object of each key to its wanted
 * state. Invariants: a key is never processed twice at once; a failure is logged and retried with backoff; after `stop`
 * resolves, no call of `sync` is under way.
 */
import { Lifetime, type Stoppable } from '../base/lifetime.ts';
import { processQueue } from '../base/process-queue.ts';
import { WorkQueue } from '../base/work-queue.ts';
import type { Informer } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';
import type { LoopContext } from './loop.ts';

export interface KeyedLoopOptions {
  /** The text of the log line about a failure: `cannot publish the root CA, retrying`. */
  readonly failure: string;
  /** Processes one key. A rejection is a failure. */
  sync(key: string): Promise<void>;
  /** How many keys are processed at a time. Default 5, as for most controllers of kube-controller-manager. */
  readonly concurrency?: number;
}

/** Returns the keys that a change concerns. `before` is undefined for an object that was added or deleted. */
export type KeysOf<T> = (object: Stored<T>, before: Stored<T> | undefined) => Iterable<string>;

export class KeyedLoop implements Stoppable {
  readonly #queue: WorkQueue;
  readonly #lifetime = new Lifetime('loop');
  readonly #synced: Promise<void>[] = [];

  /** Added keys wait in the queue until `start`. */
  constructor({ clock }: Pick<LoopContext, 'clock'>) {
    this.#queue = new WorkQueue({ clock });
    this.#lifetime.add('queue', () => this.#queue.stop());
  }

  /** Adds a key to the queue. Default priority: NORMAL_PRIORITY. */
  add(key: string, priority?: number): void {
    this.#queue.add(key, priority);
  }

  /** Adds a key after a delay. If the key waits already, the earlier time counts. */
  addAfter(key: string, delayMs: number): void {
    this.#queue.addAfter(key, delayMs);
  }

  /**
   * Adds the keys of every object that the informer has, and of every object that is added, changed or deleted later.
   */
  follow<T>(informer: Informer<T>, keysOf: KeysOf<T>): void {
    const add = (object: Stored<T>, before?: Stored<T>): void => {
      for (const key of keysOf(object, before)) this.#queue.add(key);
    };
    const registration = informer.addHandler({
      onAdd: (object) => add(object),
      onUpdate: (before, after) => add(after, before),
      onDelete: (object) => add(object),
    });
    this.#synced.push(informer.synced);
    this.#lifetime.add(informer.kind.plural, () => registration.remove());
  }

  /** Called once. Begins to process keys when every informer followed before this call has synced. Returns at once. */
  start({ logger }: Pick<LoopContext, 'logger'>, { failure, sync, concurrency = 5 }: KeyedLoopOptions): this {
    const run = async (): Promise<void> => {
      await Promise.all(this.#synced);
      await processQueue(this.#queue, {
        work: sync,
        onFailure: (key, error) => logger.warn(failure, { key, reason: error.message }),
        concurrency,
      });
    };
    // An informer rejects only if it stops before it has synced, which ends this loop as well.
    run().catch(() => undefined);
    return this;
  }

  stop(): Promise<void> {
    return this.#lifetime.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
