/**
 * Exponential backoff as a value: each call gives a delay and the next state. Invariant: no clock and no randomness of its own; both
 * come in as arguments.
 */

export interface BackoffOptions {
  readonly initialMs: number;
  readonly capMs: number;
  readonly factor: number;
  /** A delay is lengthened by up to this share of itself, so the longest is `capMs * (1 + jitter)`. */
  readonly jitter: number;
  /** The delay starts over once this much time has passed since it last started over. */
  readonly resetMs: number;
}

/** The parameters of client-go's reflector: 800 ms doubling to 30 s, jitter 1.0, starting over every 2 minutes. */
export const REFLECTOR_BACKOFF: BackoffOptions = {
  initialMs: 800,
  capMs: 30_000,
  factor: 2,
  jitter: 1,
  resetMs: 120_000,
};

export interface Backoff {
  /** The next delay, before jitter. */
  readonly nextMs: number;
  /** When the delay last started over. */
  readonly since: number;
}

export function createBackoff(options: BackoffOptions, now: number): Backoff {
  return { nextMs: options.initialMs, since: now };
}

/** The delay to wait now and the state for the next time. `random` is in [0, 1). */
export function stepBackoff(
  options: BackoffOptions,
  backoff: Backoff,
  at: { readonly now: number; readonly random: number },
): { readonly delayMs: number; readonly backoff: Backoff } {
  const current = at.now - backoff.since > options.resetMs ? createBackoff(options, at.now) : backoff;
  return {
    delayMs: Math.round(current.nextMs * (1 + options.jitter * at.random)),
    backoff: { nextMs: Math.min(current.nextMs * options.factor, options.capMs), since: current.since },
  };
}
