import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { followLoad } from './sustained-load.ts';

function start(): { run(seconds: number, cpuShare: number): Promise<void>; changes: boolean[]; stop(): void } {
  const clock = new VirtualClock();
  let cpu = 0;
  const changes: boolean[] = [];
  const followed = followLoad({
    clock,
    cpuMicros: () => cpu,
    changed: (isSustained) => changes.push(isSustained),
  });
  const run = async (seconds: number, cpuShare: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      cpu += cpuShare * 1e6;
      await clock.advance(1000);
    }
  };
  return { run, changes, stop: () => followed.stop() };
}

describe('sustained load', () => {
  it('is a load of two seconds or more', async () => {
    const { run, changes } = start();
    await run(1, 1);
    expect(changes).toEqual([]);
    await run(1, 0.4);
    expect(changes).toEqual([true]);
    await run(60, 1);
    expect(changes).toEqual([true]);
  });

  it('is not a series of bursts', async () => {
    const { run, changes } = start();
    for (let burst = 0; burst < 10; burst++) {
      await run(1, 1);
      await run(1, 0.2);
    }
    expect(changes).toEqual([]);
  });

  it('ends after half a minute without any', async () => {
    const { run, changes } = start();
    await run(3, 1);
    await run(29, 0.01);
    await run(1, 0.1);
    await run(29, 0.01);
    expect(changes).toEqual([true]);
    await run(1, 0.01);
    expect(changes).toEqual([true, false]);
    await run(2, 1);
    expect(changes).toEqual([true, false, true]);
  });

  it('is not followed after stop', async () => {
    const { run, changes, stop } = start();
    stop();
    await run(5, 1);
    expect(changes).toEqual([]);
  });
});
