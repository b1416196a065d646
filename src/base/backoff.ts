/**
 * Exponential backoff as a value. Nothing here reads a clock or draws a random number: the caller passes both, so every
 * delay is reproducible in a test.
 */

export interface BackoffPolicy {
  /** The delay after the first failure. Must be above 0. */
  readonly initialMs: number;
  /** The longest delay before jitter. */
  readonly capMs: number;
  /** Each delay is this many times the one before it. Default 2. */
  readonly factor?: number;
  /**
   * Lengthens a delay by a random share of itself, up to this one. The longest delay is `capMs * (1 + jitter)`. Default
   * 0.
   */
  readonly jitter?: number;
}

/**
 * Returns the delay before the next attempt, in whole milliseconds. `failures` counts the failures before the one that
 * has just happened: 0 gives `initialMs`. `random` is in [0, 1) and matters only to a policy with jitter.
 */
export function backoffDelay(policy: BackoffPolicy, failures: number, random = 0): number {
  const { initialMs, capMs, factor = 2, jitter = 0 } = policy;
  return Math.round(Math.min(capMs, initialMs * factor ** failures) * (1 + jitter * random));
}

/** A policy whose delays begin again at `initialMs` once `resetMs` have passed since they last began. */
export interface ResettingBackoffPolicy extends BackoffPolicy {
  readonly resetMs: number;
}

/** The state of a resetting backoff: plain data, for a pure state machine to keep. */
export interface Backoff {
  readonly failures: number;
  /** The time at which the delays last began at `initialMs`. */
  readonly since: number;
}

export function createBackoff(now: number): Backoff {
  return { failures: 0, since: now };
}

/** Counts one failure. Returns the delay to wait now and the state to pass in after the next failure. */
export function stepBackoff(
  policy: ResettingBackoffPolicy,
  backoff: Backoff,
  at: { readonly now: number; readonly random: number },
): { readonly delayMs: number; readonly backoff: Backoff } {
  const { failures, since } = at.now - backoff.since > policy.resetMs ? createBackoff(at.now) : backoff;
  return { delayMs: backoffDelay(policy, failures, at.random), backoff: { failures: failures + 1, since } };
}

/** Decides how long a work queue delays a key that failed. Equivalent to client-go's `TypedRateLimiter`. */
export interface RateLimiter<K> {
  /** Counts one failure of the key and returns the delay before it is handed out again. */
  when(key: K): number;
  /** Clears the failures of a key that succeeded. Without this call the limiter keeps an entry for the key for good. */
  forget(key: K): void;
  /** Returns the number of failures since the key was last forgotten. */
  failures(key: K): number;
}

/**
 * The policy of a work queue that names none. It begins at 5 ms, as client-go's default item limiter does. The cap is
 * one minute instead of client-go's 1000 s, so that work resumes within a minute of the end of an outage.
 */
export const DEFAULT_ITEM_BACKOFF: BackoffPolicy = { initialMs: 5, capMs: 60_000 };

/** Exponential backoff per key. Memory is bound by the number of keys that have failed and were not forgotten. */
export class ItemBackoff<K> implements RateLimiter<K> {
  readonly #policy: BackoffPolicy;
  readonly #random: () => number;
  readonly #failures = new Map<K, number>();

  /** `random` returns a number in [0, 1); a policy without jitter needs none. */
  constructor(policy: BackoffPolicy = DEFAULT_ITEM_BACKOFF, random: () => number = () => 0) {
    this.#policy = policy;
    this.#random = random;
  }

  when(key: K): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return backoffDelay(this.#policy, failures, this.#random());
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }
}
