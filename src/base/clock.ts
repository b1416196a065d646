/** The clock interface. Code takes a Clock as a parameter; tests pass a VirtualClock and never sleep. */

import { onAbort } from './abort.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import { Deferred } from './deferred.ts';

export interface Timer {
  /** Does nothing if the timer has fired or was cancelled. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. May jump when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start. Never decreases. */
  monotonic(): number;
  /** Calls back once, after at least `delayMs`. A `background` timer does not keep the process alive. */
  setTimer(delayMs: number, callback: () => void, options?: { background?: boolean }): Timer;
}

/**
 * Resolves after `delayMs`. Rejects with the signal's reason if the signal aborts first, and leaves no timer behind.
 */
export async function sleep(clock: Clock, delayMs: number, options: { signal?: AbortSignalLike } = {}): Promise<void> {
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

// setTimeout fires at once for longer delays: browsers and Node keep the delay in 32 bits.
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** In Node the first use of `performance` loads ten modules, which takes milliseconds of a server's start. */
const { hrtime } =
  (globalThis as { process?: { hrtime?: () => readonly [seconds: number, nanoseconds: number] } }).process ?? {};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic() {
    if (hrtime === undefined) return performance.now();
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
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
