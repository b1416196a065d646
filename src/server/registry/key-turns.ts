/**
 * A queue per key, for concurrent requests that change the same object. Without queues each round of a race has one
 * winner, and the losers repeat all their work, some of them again and again.
 *
 * Invariant: a key is in the map exactly while a request has the turn of the key. Turns are given in the order of
 * arrival. A request that has waited for `MAX_WAIT_MS` continues without the turn, so a holder that itself waits for a
 * write of the key cannot block others forever.
 */
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';

/** The longest wait for a turn. */
const MAX_WAIT_MS = 1000;

export class KeyTurns {
  readonly #clock: Clock;
  /** The requests that wait for the turn of each key, in order. A key without an entry is free. */
  readonly #queues = new Map<string, Set<Deferred<boolean>>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request has the turn of this key. */
  isTaken(key: string): boolean {
    return this.#queues.has(key);
  }

  /**
   * Waits for the turn. Resolves with true if the caller has the turn, which it must `release`; with false after
   * `MAX_WAIT_MS`.
   */
  async take(key: string): Promise<boolean> {
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      this.#queues.set(key, new Set());
      return true;
    }
    const turn = new Deferred<boolean>();
    queue.add(turn);
    const timer = this.#clock.setTimer(MAX_WAIT_MS, () => {
      queue.delete(turn);
      turn.resolve(false);
    });
    try {
      return await turn.promise;
    } finally {
      timer.cancel();
    }
  }

  release(key: string): void {
    const queue = this.#queues.get(key);
    for (const next of queue ?? []) {
      queue?.delete(next);
      next.resolve(true);
      return;
    }
    this.#queues.delete(key);
  }
}
