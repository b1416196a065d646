import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { sampleCpu } from './cpu-sampler.ts';

describe('samples of CPU time', () => {
  it('are those of an interval, without the time that the listener uses, until it is stopped', async () => {
    const clock = new VirtualClock();
    let cpu = 500;
    const samples: number[] = [];
    const sampler = sampleCpu({
      clock,
      intervalMs: 1000,
      cpuMicros: () => cpu,
      sampled: (usedMicros) => {
        samples.push(usedMicros);
        cpu += 1000;
      },
    });
    cpu += 30;
    await clock.advance(999);
    expect(samples).toEqual([]);
    await clock.advance(1);
    cpu += 7;
    await clock.advance(1000);
    expect(samples).toEqual([30, 7]);
    sampler.stop();
    await clock.advance(5000);
    expect(samples).toEqual([30, 7]);
    expect(clock.pendingTimers).toBe(0);
  });
});
