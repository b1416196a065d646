/**
 * Deadlines of everything that a listener holds, kept by one coarse timer (hot-path rule 7: a timer per request costs a third of a GET).
 * Invariant: the timer is armed exactly while something is held; a deadline fires at most two ticks late and never early.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { type Held, HeldList } from '../server/filters/audit/held-list.ts';

/** Something with a deadline in the wheel's time; `Number.POSITIVE_INFINITY` is none. `expire` sets another, or leaves the wheel. */
export interface Timed extends Held {
  deadline: number;
  expire(): void;
}

export const NEVER: number = Number.POSITIVE_INFINITY;

export class DeadlineWheel {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #onTick: () => void;
  readonly #held = new HeldList<Timed>();
  #now: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: { readonly tickMs: number; readonly onTick?: () => void }) {
    this.#clock = clock;
    this.#tickMs = options.tickMs;
    this.#onTick = options.onTick ?? (() => {});
    this.#now = clock.monotonic();
  }

  /** The time of the last tick: cheap, and at most one tick behind while something is held. */
  get now(): number {
    return this.#now;
  }

  /** A deadline that does not come before `ms` have passed. */
  in(ms: number): number {
    return this.#now + ms + this.#tickMs;
  }

  add(timed: Timed): void {
    this.#held.add(timed);
    if (this.#timer === undefined) {
      this.#now = this.#clock.monotonic();
      this.#arm();
    }
  }

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
