/**
 * Turns at keys that several requests want to change at once. Without them every round of a race has one winner and the losers do all their work again, some
 * of them for ever. Invariant: a key is in the map exactly while somebody has its turn; who waits gets it in the order of arrival, and after a
 * while goes on without it, so that a turn that never ends (somebody who waits for a write of another one to the same key) stops nobody.
 */
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';

/** How long a turn is waited for. */
const PATIENCE_MS = 1000;

export class KeyTurns {
  readonly #clock: Clock;
  /** Who waits, the first one next. */
  readonly #lines = new Map<string, Set<Deferred<boolean>>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody has the turn at this key: whoever comes now had better wait for it. */
  isTaken(key: string): boolean {
    return this.#lines.has(key);
  }

  /** True: the caller has the turn and must give it back with `release`. False: it waited long enough and goes on without. */
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
