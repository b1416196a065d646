/** Mutual exclusion in arrival order. The queue of waiters is not bounded: callers bound their own concurrency. */
import { onAbort } from './abort.ts';
import { Deferred } from './deferred.ts';

export class Mutex {
  #held = false;
  readonly #waiters: Deferred<void>[] = [];

  get locked(): boolean {
    return this.#held;
  }

  /** Resolves with the release function; releasing twice does nothing. Rejects with the signal's reason if that comes first. */
  async acquire(options: { signal?: AbortSignal } = {}): Promise<() => void> {
    options.signal?.throwIfAborted();
    if (this.#held) {
      const turn = new Deferred<void>();
      this.#waiters.push(turn);
      const stopListening = onAbort(options.signal, (reason) => {
        const at = this.#waiters.indexOf(turn);
        if (at < 0) return; // already its turn
        this.#waiters.splice(at, 1);
        turn.reject(reason);
      });
      try {
        await turn.promise;
      } finally {
        stopListening();
      }
    }
    this.#held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiters.shift();
      if (next === undefined) this.#held = false;
      else next.resolve(); // the lock is handed over, never free in between
    };
  }

  async run<T>(task: () => Promise<T> | T, options: { signal?: AbortSignal } = {}): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }
}
