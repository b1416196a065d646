/**
 * The deadlines of a listener's connections and requests, on one coarse timer. A timer per request would cost a third
 * of a GET.
 * Invariant: the timer is armed exactly while the wheel has entries. A deadline fires at most two ticks late and never
 * early.
 */

import { ArraySet, type ArraySetItem } from '../base/array-set.ts';
import type { Clock, Timer } from '../base/clock.ts';

/**
 * An entry of the wheel. `deadline` is in the wheel's time; NEVER means none. `expire` is called at the deadline and
 * must set another one or remove the entry, otherwise it is called again at the next tick.
 */
export interface Timed extends ArraySetItem {
  deadline: number;
  expire(): void;
}

export const NEVER: number = Number.POSITIVE_INFINITY;

export class DeadlineWheel {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #onTick: () => void;
  readonly #held = new ArraySet<Timed>();
  #now: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: { readonly tickMs: number; readonly onTick?: () => void }) {
    this.#clock = clock;
    this.#tickMs = options.tickMs;
    this.#onTick = options.onTick ?? (() => {});
    this.#now = clock.monotonic();
  }

  /** The time of the last tick: cheap to read, and at most one tick behind while the wheel has entries. */
  get now(): number {
    return this.#now;
  }

  /** Returns a deadline that fires no earlier than `ms` from now. */
  in(ms: number): number {
    return this.#now + ms + this.#tickMs;
  }

  /** Adds an entry, unless it has been added already. Starts the timer with the first one. */
  add(timed: Timed): void {
    this.#held.add(timed);
    if (this.#timer === undefined) {
      this.#now = this.#clock.monotonic();
      this.#arm();
    }
  }

  /** Removes an entry; does nothing if the wheel does not have it. Stops the timer with the last one. */
  delete(timed: Timed): void {
    this.#held.delete(timed);
    if (this.#held.size === 0) this.#disarm();
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#tickMs, () => this.#tick(), { background: true });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    this.#now = this.#clock.monotonic();
    this.#held.visitAll((timed) => {
      if (timed.deadline <= this.#now) timed.expire();
    });
    this.#onTick();
    if (this.#held.size > 0 && this.#timer === undefined) this.#arm();
  }
}
