/**
 * A clock for tests. Invariant: time moves only by calls of its methods; timers fire in order of their due time; all
 * pending microtasks run between two timers.
 */
import type { Clock, Timer } from './clock.ts';

interface PendingTimer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

export class VirtualClock implements Clock {
  #now: number;
  /** How far the wall clock was set from the time that has passed. */
  #setBy = 0;
  #order = 0;
  readonly #start: number;
  readonly #timers = new Set<PendingTimer>();

  /** Starts at 2030-01-01T00:00:00Z by default. */
  constructor(start: number = Date.UTC(2030, 0, 1)) {
    this.#now = start;
    this.#start = start;
  }

  /** The number of timers that have not fired. A test expects 0 at its end: no timer leaked. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now + this.#setBy;
  }

  /** Moves the wall clock, as an operator does. Monotonic time does not change, and no timer fires. */
  setWallClock(byMs: number): void {
    this.#setBy += byMs;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer: PendingTimer = { due: this.#now + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Moves time forward and fires every timer that becomes due, including timers set meanwhile. */
  async advance(byMs: number): Promise<void> {
    const end = this.#now + byMs;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await settle();
    }
    this.#now = end;
  }

  /** Moves to the next timer and fires it. Returns false if there is none. */
  async advanceToNext(): Promise<boolean> {
    await settle();
    const next = this.#next(Number.POSITIVE_INFINITY);
    if (next === undefined) return false;
    await this.advance(Math.max(0, next.due - this.#now));
    return true;
  }

  #next(limit: number): PendingTimer | undefined {
    let best: PendingTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.due > limit) continue;
      if (best === undefined || timer.due < best.due || (timer.due === best.due && timer.order < best.order))
        best = timer;
    }
    return best;
  }
}

/** Resolves when all queued microtasks, and those they queue, have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    const immediate = (globalThis as { setImmediate?: (callback: () => void) => void }).setImmediate;
    if (immediate !== undefined) immediate(resolve);
    else setTimeout(resolve, 0);
  });
}
