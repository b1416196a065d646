import { describe, expect, it } from 'vitest';
import { ItemBackoff } from './backoff.ts';
import { createClientGoRateLimiter, maxOf, TokenBucketLimiter } from './rate-limiters.ts';
import { VirtualClock } from './virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

describe('a TokenBucketLimiter', () => {
  it('delays nothing within its burst, then spaces retries of all keys at its rate', async () => {
    const clock = new VirtualClock();
    const limiter = new TokenBucketLimiter<string>({ clock, burst: 2, perSecond: 10 });
    expect(['a', 'b', 'c', 'a'].map((key) => limiter.when(key))).toEqual([0, 0, 100, 200]);
    await clock.advance(150);
    expect(limiter.when('d')).toBe(150);
    await clock.advance(10_000);
    expect(['a', 'b', 'c'].map((key) => limiter.when(key))).toEqual([0, 0, 100]);
    limiter.forget('a');
    expect(limiter.failures('a')).toBe(0);
  });

  it('rounds a delay up, so that no retry comes too early', () => {
    const limiter = new TokenBucketLimiter<string>({ clock: new VirtualClock(), burst: 1, perSecond: 3 });
    expect([limiter.when('a'), limiter.when('a')]).toEqual([0, 334]);
  });
});

describe('maxOf', () => {
  it('takes the longest delay, and forgets in every limiter', () => {
    const clock = new VirtualClock();
    const items = new ItemBackoff<string>({ initialMs: 150, capMs: 10_000 });
    const limiter = maxOf(items, new TokenBucketLimiter<string>({ clock, burst: 1, perSecond: 10 }));
    expect(['a', 'a', 'b', 'c'].map((key) => limiter.when(key))).toEqual([150, 300, 200, 300]);
    expect([limiter.failures('a'), limiter.failures('b')]).toEqual([2, 1]);
    limiter.forget('a');
    expect([limiter.failures('a'), items.failures('a')]).toEqual([0, 0]);
  });

  it('of no limiter delays nothing', () => {
    expect([maxOf<string>().when('a'), maxOf<string>().failures('a')]).toEqual([0, 0]);
  });
});

describe('the rate limiter of client-go', () => {
  it('doubles the delay of a key from 5 ms to 1000 s', () => {
    const limiter = createClientGoRateLimiter<string>(new VirtualClock());
    const delays = Array.from({ length: 20 }, () => limiter.when('a'));
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.slice(-3)).toEqual([655_360, 1_000_000, 1_000_000]);
  });

  it('lets 100 keys retry at their own delay, then ten a second', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue<number>({ clock, rateLimiter: createClientGoRateLimiter(clock) });
    for (let i = 0; i < 120; i++) queue.addRateLimited(i);
    await clock.advance(5);
    expect(queue.length).toBe(100);
    await clock.advance(1000);
    expect(queue.length).toBe(110);
    await queue.stop();
  });
});
