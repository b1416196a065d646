import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { seenAt } from '../suite/context.ts';
import { openLmdbStorage } from './open.ts';
import { makeFolder } from './test-folder.fixtures.ts';
import { verifyFolder } from './verify.ts';

const x = encodeUtf8('x');

describe('the expiry index', () => {
  it('has exactly the latest versions with a time to live, after rewrites, deletions, expiry and restarts', async () => {
    const folder = makeFolder(onTestFinished);
    const clock = new VirtualClock();
    let storage = await openLmdbStorage({ folder, clock });
    const a = await storage.create('a', x, { ttlMs: 50_000 });
    const b = await storage.create('b', x, { ttlMs: 50_000 });
    await storage.create('c', x, { ttlMs: 50_000 });
    await storage.create('d', x, { ttlMs: 1_000 });
    await storage.compareAndWrite('a', seenAt(a.revision), encodeUtf8('y'), { ttlMs: 90_000 });
    await storage.compareAndWrite('b', seenAt(b.revision), encodeUtf8('y'));
    await storage.delete('c');
    await storage.stop();
    expect(await verifyFolder(folder)).toMatchObject({ keys: 3, problems: [] });
    storage = await openLmdbStorage({ folder, clock });
    const gone = new Promise<string>((resolve) => {
      storage.watch(
        { ranges: [{ prefix: '' }], from: 'now' },
        {
          events: (events) => resolve(events.map((event) => `${event.type} ${event.key}`).join()),
          progress() {},
          end() {},
        },
      );
    });
    await clock.advance(4_000);
    expect(await gone).toBe('delete d');
    await storage.stop();
    expect(clock.pendingTimers).toBe(0);
    expect(await verifyFolder(folder)).toMatchObject({ keys: 2, problems: [] });
  });

  it('does not delete a key early because its commit took long', async () => {
    const folder = makeFolder(onTestFinished);
    const clock = new VirtualClock();
    // A commit that takes half a minute on the store's clock.
    let took = 0;
    const storage = await openLmdbStorage({
      folder,
      clock: {
        now: () => clock.now() + took,
        monotonic: () => clock.monotonic(),
        setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      },
      beforeCommit: () => {
        if (took === 0) took = 30_000;
      },
    });
    onTestFinished(() => storage.stop());
    await storage.create('slow', x, { ttlMs: 10_000 });
    const committed = clock.now();
    while (clock.now() < committed + 9_000) {
      await clock.advance(1_000);
      expect(await storage.get('slow')).toMatchObject({ outcome: 'found' });
    }
    let found = true;
    while (found) {
      await clock.advance(1_000);
      found = (await storage.get('slow')).outcome === 'found';
    }
    expect(clock.now()).toBeGreaterThanOrEqual(committed + 10_000);
  });
});
