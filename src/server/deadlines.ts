/** The deadlines of running requests. One timer serves all of them. */
import { ArraySet, type ArraySetItem } from '../base/array-set.ts';
import type { Clock } from '../base/clock.ts';

/** The resolution of deadlines. */
const TICK_MS = 250;

export interface Deadline extends ArraySetItem {
  /** The time of expiry on the clock's monotonic axis. */
  readonly deadline: number;
  /** Called once, at the deadline or at most TICK_MS later, unless the entry is deleted before. */
  expire(): void;
}

/**
 * The timer starts with the first request and stops when it finds none, so the end of a request never touches it.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #entries = new ArraySet<Deadline>();
  #ticking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(entry: Deadline): void {
    this.#entries.add(entry);
    if (!this.#ticking) this.#arm();
  }

  /** Removes an entry. Does nothing if the entry has expired or was never added. */
  delete(entry: Deadline): void {
    this.#entries.delete(entry);
  }

  #arm(): void {
    this.#ticking = true;
    this.#clock.setTimer(TICK_MS, () => this.#tick(), { background: true });
  }

  #tick(): void {
    this.#ticking = false;
    const now = this.#clock.monotonic();
    this.#entries.visitAll((entry) => {
      if (entry.deadline > now) return;
      this.#entries.delete(entry);
      entry.expire();
    });
    if (this.#entries.size > 0) this.#arm();
  }
}
