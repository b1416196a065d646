import { describe, expect, it } from 'vitest';
import { simulateElection } from './election-simulation.fixtures.ts';

describe('an election among five candidates on unreliable machines', () => {
  it.each([1, 2, 3, 4, 5])(
    'has one leader at a time, who starts no request after its deadline (seed %d)',
    async (seed) => {
      const { violations, handovers, requests, refused } = await simulateElection({ seed, handovers: 200 });
      expect(violations, `seed ${seed}`).toEqual([]);
      expect(handovers).toBeGreaterThanOrEqual(200);
      expect([requests > handovers, refused > 0]).toEqual([true, true]);
    },
  );
});
