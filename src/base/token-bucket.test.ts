import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

describe('a token bucket', () => {
  it('gives its burst at once, then refills at its rate, and never exceeds the burst', () => {
    const bucket = new TokenBucket(3, 2, 0);
    const taken = (now: number): number => {
      let count = 0;
      while (bucket.take(now)) count++;
      return count;
    };
    expect([taken(0), taken(400), taken(500), taken(1500), taken(1_000_000), taken(999_000)]).toEqual([
      3, 0, 1, 2, 3, 0,
    ]);
  });

  it('reserves tokens that it does not have yet', () => {
    const bucket = new TokenBucket(1, 2, 0);
    expect([bucket.reserve(0), bucket.reserve(0), bucket.reserve(0)]).toEqual([0, 500, 1000]);
    expect([bucket.take(1000), bucket.reserve(1000), bucket.take(1500), bucket.take(2000)]).toEqual([
      false,
      500,
      false,
      true,
    ]);
  });
});
