import { describe, expect, it } from 'vitest';
import {
  backoffDelay,
  createBackoff,
  DEFAULT_ITEM_BACKOFF,
  ItemBackoff,
  type ResettingBackoffPolicy,
  stepBackoff,
} from './backoff.ts';

const POLICY: ResettingBackoffPolicy = { initialMs: 800, capMs: 30_000, factor: 2, jitter: 1, resetMs: 120_000 };

function delays(times: readonly number[], random: number): number[] {
  let backoff = createBackoff(0);
  return times.map((now) => {
    const step = stepBackoff(POLICY, backoff, { now, random });
    backoff = step.backoff;
    return step.delayMs;
  });
}

describe('backoffDelay', () => {
  it('doubles from the initial delay to the cap', () => {
    const policy = { initialMs: 100, capMs: 5000 };
    const first = [0, 1, 2, 3, 4, 5, 6, 7].map((failures) => backoffDelay(policy, failures));
    expect(first).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    expect(backoffDelay(policy, 1e6)).toBe(5000);
  });

  it('multiplies by the factor of the policy', () => {
    expect([0, 1, 2].map((failures) => backoffDelay({ initialMs: 10, capMs: 1000, factor: 3 }, failures))).toEqual([
      10, 30, 90,
    ]);
  });

  it('lengthens a delay at the cap by its jitter', () => {
    expect(backoffDelay({ initialMs: 10, capMs: 100, jitter: 0.5 }, 20, 0.5)).toBe(125);
  });
});

describe('a resetting backoff', () => {
  it('doubles from the initial delay to the cap', () => {
    expect(delays([0, 0, 0, 0, 0, 0, 0, 0], 0)).toEqual([800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
  });

  it('lengthens each delay by its jitter without changing the next', () => {
    expect(delays([0, 0, 0], 0.5)).toEqual([1200, 2400, 4800]);
    expect(delays([0, 0, 0], 0.999)).toEqual([1599, 3198, 6397]);
  });

  it('starts over when more than the reset time has passed since it started', () => {
    expect(delays([0, 1, 120_000, 120_001, 240_001, 240_002], 0)).toEqual([800, 1600, 3200, 800, 1600, 800]);
  });
});

describe('ItemBackoff', () => {
  it('counts the failures of each key apart and forgets them on request', () => {
    const backoff = new ItemBackoff<string>(DEFAULT_ITEM_BACKOFF);
    expect(['a', 'a', 'b', 'a'].map((key) => backoff.when(key))).toEqual([5, 10, 5, 20]);
    expect([backoff.failures('a'), backoff.failures('b'), backoff.failures('c')]).toEqual([3, 1, 0]);
    backoff.forget('a');
    expect(backoff.failures('a')).toBe(0);
    expect([backoff.when('a'), backoff.when('b')]).toEqual([5, 10]);
  });

  it('draws its jitter from the injected source', () => {
    const draws = [0, 0.5];
    const backoff = new ItemBackoff<string>({ initialMs: 100, capMs: 1000, jitter: 1 }, () => draws.shift() as number);
    expect([backoff.when('a'), backoff.when('a')]).toEqual([100, 300]);
  });
});
