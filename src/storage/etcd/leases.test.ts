import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EtcdObserver } from './etcd-observer.ts';
import { Leases } from './leases.ts';

function createLeases(reuseSeconds: number) {
  const clock = new VirtualClock();
  const granted: number[] = [];
  const shared: number[] = [];
  const observer: EtcdObserver = {
    request: () => undefined,
    listed: () => undefined,
    received: () => undefined,
    leaseGranted: (keys) => void shared.push(keys),
  };
  const leases = new Leases({
    clock,
    reuseSeconds,
    grant: async (seconds) => granted.push(seconds),
    observer,
  });
  return { clock, leases, granted, shared };
}

describe('leases', () => {
  it('are shared for --lease-reuse-duration-seconds; the observer gets the objects of the one before', async () => {
    const { clock, leases, granted, shared } = createLeases(60);
    const ids = [await leases.take(3_600_000), await leases.take(3_600_000)];
    await clock.advance(60_000);
    ids.push(await leases.take(3_600_000));
    await clock.advance(1);
    ids.push(await leases.take(3_600_000));
    expect(ids).toEqual([1, 1, 1, 2]);
    expect(granted).toEqual([3660, 3660]);
    expect(shared).toEqual([1, 4]);
  });

  it('are shared for at most a twentieth of the time to live, and not at all with 0', async () => {
    const short = createLeases(60);
    await short.leases.take(100_000);
    expect(short.granted).toEqual([105]);
    const { clock, leases, granted } = createLeases(0);
    await leases.take(3_600_000);
    await clock.advance(1001);
    await leases.take(3_600_000);
    expect(granted).toEqual([3600, 3600]);
  });
});
