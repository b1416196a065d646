import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EmbeddedStorage } from '../embedded-storage.ts';
import type { KeyValue } from '../storage.ts';
import { openLmdbStorage } from './open.ts';
import { makeFolder } from './test-folder.fixtures.ts';
import { verifyFolder } from './verify.ts';

async function put(storage: EmbeddedStorage, key: string, value: string): Promise<number> {
  const write = { type: 'put', key, value: encodeUtf8(value) } as const;
  return (await storage.transact({ checks: [], writes: [write] })).revision;
}

/** Writes an unrelated key until the floor no longer moves, because pruning is a part of commits. */
async function settled(storage: EmbeddedStorage): Promise<number> {
  for (let last = -1; ; ) {
    const now = storage.oldestRevision();
    if (now === last) return now;
    last = now;
    await put(storage, 'settle', `${now}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('retention', () => {
  it('by size drops the oldest changes, moves the horizon with the floor, and keeps the current state', async () => {
    const folder = makeFolder(onTestFinished);
    const storage = await openLmdbStorage({ folder, retention: { bytes: 50_000 } });
    const first = await put(storage, 'kept', 'since the beginning');
    for (let i = 0; i < 200; i++) await put(storage, `k/${i % 10}`, 'v'.repeat(1000) + i);
    const oldest = storage.oldestRevision();
    expect(oldest).toBeGreaterThan(100);
    expect(storage.horizon()).toBe(oldest);
    expect(await storage.get('kept')).toMatchObject({ outcome: 'found', item: { revision: first } });
    expect(await storage.get('k/1', { revision: oldest - 1, lookBack: true })).toEqual({
      outcome: 'compacted',
      horizon: oldest,
    });
    expect(await storage.list({ prefix: '' }, { revision: oldest })).toMatchObject({
      outcome: 'ok',
      items: { length: 11 },
    });
    await storage.stop();
    const report = await verifyFolder(folder);
    expect(report.problems).toEqual([]);
    expect(report.records).toBeLessThan(80);
    const again = await openLmdbStorage({ folder });
    expect(again.oldestRevision()).toBeGreaterThanOrEqual(oldest);
    await again.stop();
  });

  it('by age drops older changes, including deletions, while a snapshot keeps its state', async () => {
    const folder = makeFolder(onTestFinished);
    const clock = new VirtualClock();
    const storage = await openLmdbStorage({ folder, clock, retention: { ageMs: 10_000 } });
    await put(storage, 'a', 'old');
    await put(storage, 'gone', 'x');
    await storage.delete('gone');
    const snapshot = await storage.snapshot();
    await put(storage, 'a', 'new');
    await storage.delete('a');
    await clock.advance(20_000);
    expect(await settled(storage)).toBe(snapshot.revision);
    expect(await snapshot.get('a')).toMatchObject({ value: encodeUtf8('old') });
    await snapshot.stop();
    await clock.advance(20_000);
    expect(await settled(storage)).toBeGreaterThan(snapshot.revision);
    expect(await storage.get('a')).toMatchObject({ outcome: 'missing' });
    await storage.stop();
    const { problems, keys } = await verifyFolder(folder);
    expect([problems, keys]).toEqual([[], 1]);
  });

  it('never changes the state of a readable revision', async () => {
    const operation = fc.record({
      key: fc.constantFrom('a', 'b', 'b/1', 'c'),
      kind: fc.constantFrom('put', 'put', 'delete', 'age', 'reopen', 'compact'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
        let remove = (): void => {};
        const folder = makeFolder((done) => {
          remove = done;
        });
        const clock = new VirtualClock();
        const open = (): Promise<EmbeddedStorage> => openLmdbStorage({ folder, clock, retention: { ageMs: 5_000 } });
        let storage = await open();
        const states: (readonly KeyValue[])[] = [];
        for (const [i, { key, kind }] of operations.entries()) {
          if (kind === 'put') await put(storage, key, `${i}`);
          else if (kind === 'delete') await storage.delete(key);
          else if (kind === 'age') await clock.advance(3_000);
          else if (kind === 'compact') await storage.compact(await storage.revision());
          else {
            await storage.stop();
            storage = await open();
          }
          const now = await storage.list({ prefix: '' });
          if (now.outcome === 'ok') states[now.revision] = now.items;
          for (let revision = storage.oldestRevision(); revision < states.length; revision++) {
            const then = await storage.list({ prefix: '' }, { revision, lookBack: true });
            expect(then).toMatchObject({ outcome: 'ok', items: states[revision] ?? [] });
            const counted = await storage.list({ prefix: 'b' }, { revision, lookBack: true, countOnly: true });
            const expected = (states[revision] ?? []).filter((item) => item.key.startsWith('b')).length;
            expect(counted).toMatchObject({ remaining: expected });
          }
        }
        await storage.stop();
        expect((await verifyFolder(folder)).problems).toEqual([]);
        remove();
      }),
      { seed: 42, numRuns: 25 },
    );
  });
});
