/**
 * The reads that wait until the cache reaches a revision.
 * Invariant: each wait settles once and leaves no timer and no listener behind.
 */
import { onAbort } from '../base/abort.ts';
import { ArraySet, type ArraySetItem } from '../base/array-set.ts';
import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import type { Revision } from '../storage/storage.ts';
import type { FreshResult, WaitOptions } from './cache.ts';

/** The time for which kube-apiserver waits until its cache reaches a revision. */
const DEFAULT_WAIT_MS = 3000;

interface Waiter extends ArraySetItem {
  readonly revision: Revision;
  readonly settle: (result: FreshResult | Error) => void;
}

export class Waiters {
  readonly #clock: Clock;
  readonly #current: () => Revision;
  readonly #waiting = new ArraySet<Waiter>();
  #lowest = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, current: () => Revision) {
    this.#clock = clock;
    this.#current = current;
  }

  /**
   * Waits for a revision above the current one. Rejects with the signal's reason, or with the error that is passed to
   * `fail`.
   */
  wait(revision: Revision, options: WaitOptions): Promise<FreshResult> {
    const done = new Deferred<FreshResult>();
    const waiter: Waiter = {
      revision,
      settle: (result) => {
        if (waiter.index === undefined) return;
        this.#waiting.delete(waiter);
        timer.cancel();
        stopListening();
        if (result instanceof Error) done.reject(result);
        else done.resolve(result);
      },
    };
    this.#waiting.add(waiter);
    this.#lowest = Math.min(this.#lowest, revision);
    let stopListening = (): void => {};
    const timer = this.#clock.setTimer(options.timeoutMs ?? DEFAULT_WAIT_MS, () =>
      waiter.settle({ outcome: 'future', current: this.#current() }),
    );
    stopListening = onAbort(options.signal, (reason) => waiter.settle(reason));
    return done.promise;
  }

  reached(revision: Revision): void {
    if (revision < this.#lowest) return;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#waiting.visitAll((waiter) => {
      if (waiter.revision <= revision) waiter.settle({ outcome: 'ok', revision });
      else this.#lowest = Math.min(this.#lowest, waiter.revision);
    });
  }

  fail(error: Error): void {
    this.#waiting.visitAll((waiter) => waiter.settle(error));
  }
}
