/**
 * The open watches of a server, with their deadlines. One timer serves all of them.
 *
 * Invariants: a watch ends at most one step after its deadline and never before it. After `drain()` the set is empty.
 */
import type { Clock, Timer } from '../../../base/clock.ts';

export interface HeldWatch {
  /** On the clock's monotonic axis. */
  readonly deadline: number;
  /** Called at the deadline. The watch must remove itself from the set. */
  expire(): void;
  /** Called when the server shuts down. The watch must remove itself from the set. */
  drain(): void;
}

/** Deadlines within one step share a bucket and expire at its end. */
const STEP_MS = 250;

export class WatchSet {
  readonly #clock: Clock;
  /** The watches by the step at whose end they expire. */
  readonly #buckets = new Map<number, Set<HeldWatch>>();
  #size = 0;
  #timer: Timer | undefined;
  /** The step that the timer waits for. */
  #armed: number = Number.POSITIVE_INFINITY;
  #draining = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a watch. While the server drains, `drain` of the watch is called at once. */
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

  /** Ends every watch, and every later one when it is added. */
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
