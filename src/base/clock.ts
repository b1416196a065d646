/** Time as a parameter. Production code takes a Clock; tests pass a VirtualClock and never sleep. */
import { onAbort } from './abort.ts';
import { Deferred } from './deferred.ts';

export interface Timer {
  /** Cancelling after it fired, or twice, does nothing. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch; may jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds that never go back, from an arbitrary start. */
  monotonic(): number;
  /** Calls back once, not before `delayMs` have passed. A `background` timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void, options?: { background?: boolean }): Timer;
}

/** Resolves after `delayMs` of the clock's time; rejects with the signal's reason if that comes first. */
export async function sleep(clock: Clock, delayMs: number, options: { signal?: AbortSignal } = {}): Promise<void> {
  options.signal?.throwIfAborted();
  const done = new Deferred<void>();
  const timer = clock.setTimer(delayMs, () => done.resolve());
  const stopListening = onAbort(options.signal, (reason) => {
    timer.cancel();
    done.reject(reason);
  });
  try {
    await done.promise;
  } finally {
    stopListening();
  }
}

// setTimeout fires at once for longer delays (a 32-bit limit in browsers and Node alike).
const LONGEST_TIMEOUT = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback, options) {
    let handle: ReturnType<typeof setTimeout>;
    const arm = (left: number): void => {
      handle = setTimeout(
        () => (left > LONGEST_TIMEOUT ? arm(left - LONGEST_TIMEOUT) : callback()),
        Math.min(left, LONGEST_TIMEOUT),
      );
      if (options?.background) (handle as { unref?: () => void }).unref?.();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
