import { describe, expect, it } from 'vitest';
import { createBackoff, REFLECTOR_BACKOFF, stepBackoff } from './backoff.ts';

function delays(times: readonly number[], random: number): number[] {
  let backoff = createBackoff(REFLECTOR_BACKOFF, 0);
  return times.map((now) => {
    const step = stepBackoff(REFLECTOR_BACKOFF, backoff, { now, random });
    backoff = step.backoff;
    return step.delayMs;
  });
}

describe('the backoff', () => {
  it('doubles from 800 ms to 30 s', () => {
    expect(delays([0, 0, 0, 0, 0, 0, 0, 0], 0)).toEqual([800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
  });

  it('lengthens each delay by its jitter without changing the next', () => {
    expect(delays([0, 0, 0], 0.5)).toEqual([1200, 2400, 4800]);
    expect(delays([0, 0, 0], 0.999)).toEqual([1599, 3198, 6397]);
  });

  it('starts over when more than two minutes have passed since it started', () => {
    expect(delays([0, 1, 120_000, 120_001, 240_001, 240_002], 0)).toEqual([800, 1600, 3200, 800, 1600, 800]);
  });
});
