/**
 * Keys to be worked on, each by one worker at a time. Invariant: a key that is added while it is worked on is worked on once more afterwards; a failure is tried again, later each time; after `stop()` nothing
 * begins.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** A rejection is a failure, to be tried again. */
  work(key: string): Promise<void>;
  onFailure(key: string, error: Error): void;
  /** How many keys are worked on at a time. Default: all. */
  readonly atOnce?: number;
}

const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 60_000;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Those that wait for a worker, in order. */
  readonly #waiting = new Set<string>();
  readonly #working = new Map<string, Promise<void>>();
  /** Added while they were worked on. */
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Work begins in this turn of the event loop, once whoever adds has finished. */
  add(key: string): void {
    if (this.#stopped) return;
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#waiting.size === 0) queueMicrotask(() => this.#begin());
    this.#waiting.add(key);
  }

  /** Resolves when what was being worked on is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    this.#again.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await Promise.all(this.#working.values());
  }

  #begin(): void {
    const { atOnce = Number.POSITIVE_INFINITY } = this.#options;
    for (const key of this.#waiting) {
      if (this.#working.size >= atOnce) return;
      this.#waiting.delete(key);
      this.#working.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    let failure: Error | undefined;
    try {
      await this.#options.work(key);
    } catch (caught) {
      failure = toError(caught);
    }
    this.#working.delete(key);
    if (this.#stopped) return;
    if (failure === undefined) this.#failures.delete(key);
    else this.#options.onFailure(key, failure);
    if (this.#again.delete(key)) this.add(key);
    else if (failure !== undefined) this.#retry(key);
    this.#begin();
  }

  #retry(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 20));
    const timer = this.#options.clock.setTimer(delay, () => this.add(key), { background: true });
    this.#timers.set(key, timer);
  }
}
