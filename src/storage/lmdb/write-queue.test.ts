import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { EmbeddedStorage } from '../embedded-storage.ts';
import type { StorageEvent } from '../storage.ts';
import { seenAt } from '../suite/context.ts';
import { openLmdbStorage } from './open.ts';
import { makeFolder } from './test-folder.fixtures.ts';
import { verifyFolder } from './verify.ts';

interface FailingStore {
  readonly storage: EmbeddedStorage;
  readonly folder: string;
  readonly seen: StorageEvent[];
  /** Fails the next commits with this errno; undefined: they succeed again. */
  fail(code: string | undefined): void;
}

async function openFailing(): Promise<FailingStore> {
  const folder = makeFolder(onTestFinished);
  let failing: string | undefined;
  const storage = await openLmdbStorage({
    folder,
    beforeCommit: () => {
      if (failing !== undefined) throw Object.assign(new Error(`write: ${failing}`), { code: failing });
    },
  });
  onTestFinished(() => storage.stop());
  const fail = (code: string | undefined): void => {
    failing = code;
  };
  const seen: StorageEvent[] = [];
  storage.watch(
    { ranges: [{ prefix: '' }], from: 'now' },
    { events: (events) => void seen.push(...events), progress: () => {}, end: () => {} },
  );
  return { storage, folder, seen, fail };
}

const x = encodeUtf8('x');

describe('a commit that fails', () => {
  it.each([
    ['ENOSPC', 'NoSpace'],
    ['EDQUOT', 'NoSpace'],
    ['EROFS', 'ReadOnly'],
    ['EIO', 'Unavailable'],
  ])(
    'with %s rejects its writes with %s, shows nothing, and the store goes on from what is durable',
    async (errno, code) => {
      const { storage, folder, seen, fail } = await openFailing();
      const before = await storage.create('a', x);
      fail(errno);
      const writes = await Promise.allSettled([
        storage.create('b', x),
        storage.compareAndWrite('a', seenAt(before.revision), encodeUtf8('y')),
        storage.delete('a'),
        storage.transact({ checks: [], writes: [{ type: 'put', key: 'c', value: x }] }),
        storage.compact(before.revision),
      ]);
      for (const write of writes) expect(write).toMatchObject({ status: 'rejected', reason: { code } });
      expect(await storage.revision()).toBe(before.revision);
      expect(storage.horizon()).toBe(1);
      expect(await storage.list({ prefix: '' })).toMatchObject({ items: [{ key: 'a', value: x }] });
      fail(undefined);
      expect(await storage.create('b', x)).toEqual({ outcome: 'ok', revision: before.revision + 1, changed: true });
      expect(seen.map((event) => [event.key, event.revision])).toEqual([
        ['a', before.revision],
        ['b', before.revision + 1],
      ]);
      await storage.stop();
      expect((await verifyFolder(folder)).problems).toEqual([]);
    },
  );

  it('fails every request of its group, and later groups are decided on the state before it', async () => {
    const { storage, fail } = await openFailing();
    const { revision } = await storage.create('other', x);
    fail('ENOSPC');
    const group = [storage.create('a', x), storage.create('a', x), storage.delete('a'), storage.create('other', x)];
    for (const result of await Promise.allSettled(group)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'NoSpace' } });
    }
    fail(undefined);
    expect(await storage.compareAndWrite('a', seenAt(revision + 1), x)).toMatchObject({
      outcome: 'conflict',
      current: undefined,
    });
    expect(await storage.get('a')).toMatchObject({ outcome: 'missing', revision });
    expect(await storage.create('a', x)).toEqual({ outcome: 'ok', revision: revision + 1, changed: true });
  });
});

describe('the writes of one group', () => {
  it('are decided one after the other, and each sees the writes of earlier ones', async () => {
    const { storage, seen } = await openFailing();
    const base = await storage.revision();
    const results = await Promise.all([
      storage.create('a', encodeUtf8('1')),
      storage.create('a', encodeUtf8('2')),
      storage.compareAndWrite('a', seenAt(base + 1), encodeUtf8('3')),
      storage.compareAndWrite('a', seenAt(base + 2), encodeUtf8('3')),
      storage.delete('a', { expected: base + 2 }),
      storage.delete('a'),
      storage.create('a', encodeUtf8('4')),
    ]);
    expect(results.map((result) => [result.outcome, result.revision])).toEqual([
      ['ok', base + 1],
      ['conflict', base + 1],
      ['ok', base + 2],
      ['ok', base + 2],
      ['ok', base + 3],
      ['missing', base + 3],
      ['ok', base + 4],
    ]);
    expect(seen.map((event) => [event.type, event.revision, event.previous?.revision])).toEqual([
      ['put', base + 1, undefined],
      ['put', base + 2, base + 1],
      ['delete', base + 3, base + 2],
      ['put', base + 4, undefined],
    ]);
  });

  it('are visible to no reader before the commit', async () => {
    const { storage } = await openFailing();
    const before = await storage.revision();
    const write = storage.create('a', x);
    let settled = false;
    void write.then(() => {
      settled = true;
    });
    while (!settled) {
      const got = await storage.get('a');
      const listed = await storage.list({ prefix: '' });
      if (got.outcome === 'missing') expect([got.revision, listed]).toMatchObject([before, { outcome: 'ok' }]);
      else expect(await storage.revision()).toBe(before + 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await storage.get('a')).toMatchObject({ outcome: 'found' });
  });
});
