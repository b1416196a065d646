import { describe, expect, it, vi } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { OrderedMap } from '../../base/ordered-map.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { ForkableStorage } from '../embedded-storage.ts';
import { storageSuite } from '../storage.suite.ts';
import type { Storage } from '../storage.ts';
import { overwrite, put, Recorder } from '../suite/context.ts';
import { runSuiteCase, type SuiteDriver, skipReason } from '../suite/run-case.ts';
import { createMemoryStorage } from './memory-storage.ts';

const driver: SuiteDriver = { open: (clock) => createMemoryStorage({ clock }), fork: true };

describe('the storage suite on memory', () => {
  for (const each of storageSuite)
    it.skipIf(skipReason(each, driver) !== undefined)(each.name, () => runSuiteCase(each, driver));
});

/** Simulates restarts: stop() leaves a fork behind, which reopen() returns. */
function restartable(): SuiteDriver {
  const forks = new Map<Storage, ForkableStorage>();
  const open = (storage: ForkableStorage): Storage => {
    const stop = storage.stop.bind(storage);
    let stopping: Promise<void> | undefined;
    const forkAndStop = async (): Promise<void> => {
      await settle();
      forks.set(storage, storage.fork());
      await stop();
    };
    return Object.assign(storage, {
      stop: () => {
        stopping ??= forkAndStop();
        return stopping;
      },
    });
  };
  return {
    open: (clock) => open(createMemoryStorage({ clock })),
    async reopen(storage) {
      await storage.stop();
      return open(forks.get(storage)!);
    },
    fork: true,
  };
}

describe('the restarts of the storage suite on forks of memory', () => {
  for (const each of storageSuite.filter(({ needs }) => needs === 'reopen'))
    it(each.name, () => runSuiteCase(each, restartable()));
});

describe('memory storage', () => {
  it('forks and snapshots by a fixed number of O(1) clones, whatever the size', async () => {
    const counts: number[][] = [];
    for (const size of [10, 5000]) {
      const storage = createMemoryStorage({ clock: new VirtualClock() });
      await Promise.all(Array.from({ length: size }, (_, i) => storage.create(`k/${i}`, encodeUtf8('x'))));
      const methods = ['clone', 'get', 'set', 'delete', 'forEachFrom', 'page', 'entries', 'rank'] as const;
      const spies = methods.map((name) => vi.spyOn(OrderedMap.prototype, name));
      const fork = storage.fork();
      const snapshot = await storage.snapshot();
      counts.push(spies.map((spy) => spy.mock.calls.length));
      for (const spy of spies) spy.mockRestore();
      // The items themselves are shared, not copied.
      const [mine, theirs] = [await storage.get('k/7'), await fork.get('k/7')];
      expect(mine.outcome === 'found' && theirs.outcome === 'found' && mine.item === theirs.item).toBe(true);
      await snapshot.stop();
      await fork.stop();
      await storage.stop();
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[0]!.slice(1, 3).every((count) => count <= 1)).toBe(true);
  });

  it('delivers to watches before the acknowledgement, many revisions at a time', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock() });
    const watcher = Recorder.start(storage, '', { after: 1 });
    const writes = Array.from({ length: 10 }, (_, i) => storage.create(`k/${i}`, encodeUtf8('x')));
    await writes[0];
    expect(watcher.seen).toHaveLength(10);
    expect(watcher.calls).toHaveLength(1);
    await storage.stop();
  });

  it('keeps no more revisions than the retention allows, and moves the horizon when it drops some', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock(), retention: { revisions: 20 } });
    for (let i = 0; i < 100; i++) await overwrite(storage, 'a', `${i}`);
    expect(storage.oldestRevision()).toBe(81);
    expect(storage.horizon()).toBe(81);
    expect(await storage.get('a', { revision: 80 })).toEqual({ outcome: 'compacted', horizon: 81 });
    expect((await storage.get('a', { revision: 81 })).outcome).toBe('found');
    const watcher = Recorder.start(storage, '', { after: 81 });
    await watcher.caughtUp(storage);
    expect(watcher.seen).toHaveLength(20);
    await storage.stop();
  });

  it('keeps no more bytes of old values than the retention allows', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock(), retention: { bytes: 10_000 } });
    for (let i = 0; i < 100; i++) await overwrite(storage, 'a', `${i}`.padEnd(800, '.'));
    expect(storage.oldestRevision()).toBe(91);
    await storage.stop();
  });

  it('counts each event of a transaction as history', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock(), retention: { bytes: 10_000 } });
    for (let i = 0; i < 10; i++) {
      const writes = Array.from(
        { length: 10 },
        (_, k) => ({ type: 'put', key: `${i}/${k}`, value: encodeUtf8('') }) as const,
      );
      await storage.transact({ checks: [], writes });
    }
    expect(storage.oldestRevision()).toBe(6);
    await storage.stop();
  });

  it('drops revisions below the horizon by age, and none above it', async () => {
    const clock = new VirtualClock();
    const storage = createMemoryStorage({ clock, retention: { ageMs: 60_000 } });
    for (let i = 0; i < 10; i++) await overwrite(storage, 'a', `${i}`);
    await storage.compact(6);
    expect([storage.oldestRevision(), storage.horizon()]).toEqual([1, 6]);
    await clock.advance(60_000);
    await overwrite(storage, 'a', 'later');
    expect([storage.oldestRevision(), storage.horizon()]).toEqual([6, 6]);
    expect((await storage.get('a', { revision: 6 })).outcome).toBe('found');
    await storage.stop();
  });

  it('computes old states across checkpoints', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock() });
    const revisions: number[] = [];
    for (let i = 0; i < 2500; i++) revisions.push(await overwrite(storage, `k/${i % 50}`, `${i}`));
    for (const i of [0, 49, 1000, 1021, 1022, 1023, 1024, 2046, 2047, 2499]) {
      const result = await storage.get(`k/${i % 50}`, { revision: revisions[i]! });
      expect(result.outcome === 'found' && result.item.revision).toBe(revisions[i]);
      const count = await storage.list({ prefix: '' }, { revision: revisions[i]!, countOnly: true });
      expect(count.outcome === 'ok' && count.remaining).toBe(Math.min(50, i + 1));
    }
    await storage.stop();
  });

  it('reports progress to a watch without events after a thousand revisions', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock() });
    const watcher = Recorder.start(storage, 'quiet/', { after: 1 });
    for (let i = 0; i < 2100; i++) await overwrite(storage, 'a', `${i}`);
    expect(watcher.calls.filter((call) => call.type === 'progress')).toHaveLength(2);
    await storage.stop();
  });

  it('refuses to delete with an invalid revision', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock() });
    await put(storage, 'a', 'x');
    await expect(storage.delete('a', { expected: -1 })).rejects.toMatchObject({ code: 'InvalidArgument' });
    await storage.stop();
  });

  it('refuses to fork from a snapshot of another kind of store', async () => {
    const storage = createMemoryStorage({ clock: new VirtualClock() });
    await put(storage, 'a', 'x');
    const foreign = { ...(await storage.snapshot()) } as never;
    expect(() => storage.fork(foreign)).toThrow('snapshots of a memory store');
    await storage.stop();
  });
});
