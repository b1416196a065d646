/**
 * The watches that a server holds, with their deadlines. Invariant: one timer for all of them, armed for the earliest
 * deadline; a watch ends at most one step late and never early, and after `drain()` none is left and none stays.
 */
import type { Clock, Timer } from '../../../base/clock.ts';

export interface HeldWatch {
  /** On the clock's monotonic axis. */
  readonly deadline: number;
  /** Its time is up. It leaves the set by itself. */
  expire(): void;
  /** The server shuts down. It leaves the set by itself. */
  drain(): void;
}

/** Deadlines within one step share a bucket. */
const STEP_MS = 250;

export class WatchSet {
  readonly #clock: Clock;
  /** By the step at whose end they expire. */
  readonly #buckets = new Map<number, Set<HeldWatch>>();
  #size = 0;
  #timer: Timer | undefined;
  /** The step that the timer is armed for. */
  #armed: number = Number.POSITIVE_INFINITY;
  #draining = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** While the server drains the watch is told at once. */
  add(watch: HeldWatch): void {
    const step = stepOf(watch);
    const bucket = this.#buckets.get(step);
    if (bucket === undefined) this.#buckets.set(step, new Set([watch]));
    else bucket.add(watch);
    this.#size++;
    if (this.#draining) watch.drain();
    else if (step < this.#armed) this.#arm(step);
  }

  delete(watch: HeldWatch): void {
    const step = stepOf(watch);
    const bucket = this.#buckets.get(step);
    if (bucket?.delete(watch) !== true) return;
    this.#size--;
    if (bucket.size === 0) this.#buckets.delete(step);
    if (this.#size === 0) this.#disarm();
  }

  /** Ends every watch, and from now on every new one. */
  drain(): void {
    this.#draining = true;
    this.#disarm();
    for (const bucket of [...this.#buckets.values()]) for (const watch of [...bucket]) watch.drain();
  }

  #arm(step: number): void {
    this.#timer?.cancel();
    this.#armed = step;
    const delay = Math.max(0, step * STEP_MS - this.#clock.monotonic());
    this.#timer = this.#clock.setTimer(delay, () => this.#fire(), { background: true });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armed = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#disarm();
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const [step, bucket] of [...this.#buckets]) {
      if (step * STEP_MS <= now) for (const watch of [...bucket]) watch.expire();
      else if (step < next) next = step;
    }
    if (next < this.#armed && this.#size > 0) this.#arm(next);
  }
}

function stepOf({ deadline }: HeldWatch): number {
  return Math.ceil(deadline / STEP_MS);
}
