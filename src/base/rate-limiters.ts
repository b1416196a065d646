/**
 * Rate limiters for work queues beside the backoff per key: a token bucket for all keys together, and the longest delay
 * of several limiters.
 */
import { type BackoffPolicy, ItemBackoff, type RateLimiter } from './backoff.ts';
import type { Clock } from './clock.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * Bounds the rate of retries over all keys: `burst` at once, then `perSecond`. Counts no failures. Equivalent to
 * client-go's `TypedBucketRateLimiter`.
 */
export class TokenBucketLimiter<K> implements RateLimiter<K> {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;

  constructor(options: { readonly clock: Clock; readonly burst: number; readonly perSecond: number }) {
    this.#clock = options.clock;
    this.#bucket = new TokenBucket(options.burst, options.perSecond, options.clock.monotonic());
  }

  when(_key: K): number {
    return Math.ceil(this.#bucket.reserve(this.#clock.monotonic()));
  }

  forget(_key: K): void {}

  failures(_key: K): number {
    return 0;
  }
}

/**
 * Each delay is the longest that the limiters set. Every limiter counts every failure, so a token bucket also spends
 * tokens on keys that another limiter delays for longer.
 */
export function maxOf<K>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key)), 0),
    forget: (key) => {
      for (const limiter of limiters) limiter.forget(key);
    },
    failures: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.failures(key)), 0),
  };
}

/** The backoff per key of client-go's `DefaultTypedControllerRateLimiter`: 5 ms, doubled up to 1000 s. */
export const CLIENT_GO_ITEM_BACKOFF: BackoffPolicy = { initialMs: 5, capMs: 1_000_000 };

/** The token bucket of client-go's `DefaultTypedControllerRateLimiter`: 100 retries at once, then 10 per second. */
export const CLIENT_GO_RETRY_BUCKET = { burst: 100, perSecond: 10 } as const;

/** Returns the rate limiter that client-go's controllers use by default: the longer delay of these two limiters. */
export function createClientGoRateLimiter<K>(clock: Clock): RateLimiter<K> {
  return maxOf(
    new ItemBackoff<K>(CLIENT_GO_ITEM_BACKOFF),
    new TokenBucketLimiter<K>({ clock, ...CLIENT_GO_RETRY_BUCKET }),
  );
}
