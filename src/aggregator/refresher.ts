/** The loop around the refresh machine, with one timer and at most one fetch at a time. */
import type { Clock, Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { PAUSED, type RefreshEvent, type RefreshPolicy, type RefreshState, stepRefresh } from './refresh-machine.ts';

export interface RefresherOptions {
  readonly clock: Clock;
  readonly policy: RefreshPolicy;
  /** Fetches once. The signal aborts when the refresher is paused or stopped. A rejection counts as a failure. */
  fetch(signal: AbortSignal): Promise<void>;
  /** Called when a fetch has failed and was not aborted. */
  onFailure(error: Error): void;
}

/** A refresher is paused until the first `change()`. */
export class Refresher {
  readonly #options: RefresherOptions;
  #state: RefreshState = PAUSED;
  #timer: Timer | undefined;
  #abort: AbortController | undefined;
  /** Settles when the running fetch, aborted or not, has settled. */
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  /** Called when the document may have changed. Fetches it soon. */
  change(): void {
    this.#step('change');
  }

  /** Aborts the running fetch, and fetches nothing until the next `change()`. */
  pause(): void {
    this.#step('pause');
  }

  /** Resolves when the fetch that is running now has ended, with success or failure. */
  settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Stops fetching. Resolves when no fetch is running. Later calls of `change()` do nothing. */
  async stop(): Promise<void> {
    this.#step('pause');
    this.#stopped = true;
    await this.#running;
  }

  #step(event: RefreshEvent): void {
    if (this.#stopped) return;
    const { clock, policy } = this.#options;
    const before = this.#state;
    const next = stepRefresh(policy, before, event, clock.monotonic());
    this.#state = next;
    if (next === before) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (next.kind === 'paused') {
      this.#abort?.abort();
      this.#abort = undefined;
    } else if (next.kind === 'waiting') {
      const delayMs = Math.max(0, next.dueAt - clock.monotonic());
      this.#timer = clock.setTimer(delayMs, () => this.#step('due'), { background: true });
    } else if (before.kind !== 'fetching' || event !== 'change') this.#start();
  }

  #start(): void {
    const abort = new AbortController();
    this.#abort = abort;
    // The next fetch begins only after an aborted fetch has settled.
    this.#running = Promise.resolve(this.#running).then(() => this.#run(abort));
  }

  async #run(abort: AbortController): Promise<void> {
    if (abort.signal.aborted) return;
    let event: RefreshEvent = 'success';
    try {
      await this.#options.fetch(abort.signal);
    } catch (caught) {
      if (abort.signal.aborted) return;
      event = 'failure';
      this.#options.onFailure(toError(caught));
    }
    if (this.#abort === abort) this.#step(event);
  }
}
