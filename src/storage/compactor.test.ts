import { describe, expect, it } from 'vitest';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import { startCompactor } from './compactor.ts';
import { StorageError } from './errors.ts';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { overwrite } from './suite/context.ts';

const MINUTE = 60_000;

function setup(): { clock: VirtualClock; storage: ReturnType<typeof createMemoryStorage>; errors: Error[] } {
  const clock = new VirtualClock();
  return { clock, storage: createMemoryStorage({ clock }), errors: [] };
}

describe('the compactor', () => {
  it('compacts every five minutes to the revision that was current five minutes before', async () => {
    const { clock, storage, errors } = setup();
    const compactor = startCompactor(storage, { clock, onError: (error) => errors.push(error) });
    const horizons: number[] = [];
    for (let i = 0; i < 4; i++) {
      await overwrite(storage, 'a', `${i}`);
      await clock.advance(5 * MINUTE);
      await settle();
      horizons.push(storage.horizon());
    }
    // The write of a round is made after the tick that ends the previous round.
    expect(horizons).toEqual([1, 2, 3, 4]);
    await compactor.stop();
    await clock.advance(60 * MINUTE);
    expect(storage.horizon()).toBe(4);
    expect(clock.pendingTimers).toBe(0);
    expect(errors).toEqual([]);
    await storage.stop();
  });

  it('does nothing with an interval of 0', async () => {
    const { clock, storage, errors } = setup();
    const compactor = startCompactor(storage, { clock, intervalMs: 0, onError: (error) => errors.push(error) });
    await overwrite(storage, 'a', 'x');
    expect(clock.pendingTimers).toBe(0);
    await compactor.stop();
    await storage.stop();
  });

  it('reports a failure and tries again', async () => {
    const { clock, storage, errors } = setup();
    let failing = true;
    const compact = storage.compact.bind(storage);
    const flaky = Object.assign(storage, {
      compact: async (revision: number) => {
        if (failing) throw new StorageError('Unavailable', 'the disk is away');
        await compact(revision);
      },
    });
    await overwrite(storage, 'a', 'x');
    const compactor = startCompactor(flaky, { clock, intervalMs: MINUTE, onError: (error) => errors.push(error) });
    await clock.advance(MINUTE);
    expect(errors.map((error) => error.message)).toEqual(['the disk is away']);
    failing = false;
    await clock.advance(MINUTE);
    expect(storage.horizon()).toBe(2);
    await compactor.stop();
    await storage.stop();
  });

  it('ends when its store is stopped', async () => {
    const { clock, storage, errors } = setup();
    const compactor = startCompactor(storage, { clock, onError: (error) => errors.push(error) });
    await settle();
    await storage.stop();
    await clock.advance(20 * MINUTE);
    expect(clock.pendingTimers).toBe(0);
    expect(errors).toEqual([]);
    await compactor.stop();
  });
});
