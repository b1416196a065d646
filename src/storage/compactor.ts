/**
 * The compactor of a store that no other process shares. It moves the compaction horizon by age.
 * Invariant: a revision can be read and watched for at least one interval after it was current, and for less than two.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';
import { isStorageError } from './errors.ts';
import type { CompactorOptions, Revision, Storage } from './storage.ts';

/** The default of kube-apiserver's `--etcd-compaction-interval`. */
export const DEFAULT_COMPACTION_INTERVAL_MS = 300_000;

/**
 * Compacts `storage` once per interval, to the revision that was current one interval before. A store with its own
 * `startCompactor` uses that one instead.
 */
export function startCompactor(storage: Storage, options: CompactorOptions): Stoppable {
  if (storage.startCompactor !== undefined) return storage.startCompactor(options);
  const compactor = new Compactor(storage, options);
  compactor.start();
  return compactor;
}

class Compactor implements Stoppable {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #onError: (error: Error) => void;
  #previous: Revision | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #stopping: Promise<void> | undefined;

  constructor(storage: Storage, options: CompactorOptions) {
    this.#storage = storage;
    this.#clock = options.clock;
    this.#intervalMs = options.intervalMs ?? DEFAULT_COMPACTION_INTERVAL_MS;
    this.#onError = options.onError;
  }

  /** Begins the first interval. Call it once. */
  start(): void {
    if (this.#intervalMs > 0) this.#running = this.#run();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      const current = await this.#storage.revision();
      if (this.#previous !== undefined) await this.#storage.compact(this.#previous);
      this.#previous = current;
    } catch (caught) {
      if (isStorageError(caught, 'Closed')) this.#stopped = true;
      else this.#onError(toError(caught));
    }
    if (this.#stopped) return;
    this.#timer = this.#clock.setTimer(
      this.#intervalMs,
      () => {
        this.#running = this.#run();
      },
      { background: true },
    );
  }
}
