/**
 * A queue per key for requests that change the same object at once. Without it each round of a race has one winner, and
 * the losers repeat all their work, some of them without end.
 *
 * Invariant: a key is in the map exactly while a request has its turn. Turns are given in order of arrival. A request
 * that has waited long enough continues without its turn, so a holder that itself waits for a write to the key blocks
 * no one.
 */
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';

/** The longest wait for a turn. */
const PATIENCE_MS = 1000;

export class KeyTurns {
  readonly #clock: Clock;
  /** The waiting requests of each key whose turn is taken, the next one first. */
  readonly #lines = new Map<string, Set<Deferred<boolean>>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request has the turn of this key. */
  isTaken(key: string): boolean {
    return this.#lines.has(key);
  }

  /** Waits for the turn. True: the caller has it and must `release` it. False: the wait was too long. */
  async take(key: string): Promise<boolean> {
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#lines.set(key, new Set());
      return true;
    }
    const turn = new Deferred<boolean>();
    line.add(turn);
    const timer = this.#clock.setTimer(PATIENCE_MS, () => {
      line.delete(turn);
      turn.resolve(false);
    });
    try {
      return await turn.promise;
    } finally {
      timer.cancel();
    }
  }

  release(key: string): void {
    const line = this.#lines.get(key);
    for (const next of line ?? []) {
      line?.delete(next);
      next.resolve(true);
      return;
    }
    this.#lines.delete(key);
  }
}
