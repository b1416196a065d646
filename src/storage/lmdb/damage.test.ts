import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { StorageError } from '../errors.ts';
import type { Storage, StorageEvent, WatchEnd } from '../storage.ts';
import { seenAt } from '../suite/context.ts';
import { checksumOf } from './checksum.ts';
import { openLmdbStorage } from './open.ts';
import { damage, makeFolder } from './test-folder.fixtures.ts';
import { verifyFolder } from './verify.ts';

/** Three keys; `p/b` has a second version. Every value is a recognisable text. */
async function fill(folder: string): Promise<void> {
  const storage = await openLmdbStorage({ folder });
  await storage.create('p/a', encodeUtf8('first value of a'));
  const { revision } = await storage.create('p/b', encodeUtf8('first value of b'));
  await storage.compareAndWrite('p/b', seenAt(revision), encodeUtf8('second value of b'));
  await storage.create('p/c', encodeUtf8('first value of c'));
  await storage.stop();
}

async function expectCorrupt(call: () => unknown, key: string): Promise<void> {
  let caught: unknown;
  try {
    await call();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(StorageError);
  expect(caught).toMatchObject({ code: 'Corrupt', key });
  expect((caught as Error).message).toContain(JSON.stringify(key));
}

function resume(storage: Storage, after: number): Promise<{ events: StorageEvent[]; end: WatchEnd }> {
  const events: StorageEvent[] = [];
  return new Promise((resolve) => {
    storage.watch(
      { ranges: [{ prefix: '' }], from: { after } },
      { events: (more) => void events.push(...more), progress: () => {}, end: (end) => resolve({ events, end }) },
    );
  });
}

describe('a damaged value', () => {
  it('is Corrupt, with its key, in every read that needs it, and only there', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    expect(damage(folder, 'second value of b', 3)).toBeGreaterThan(0);
    const storage = await openLmdbStorage({ folder });
    onTestFinished(() => storage.stop());
    await expectCorrupt(() => storage.get('p/b'), 'p/b');
    await expectCorrupt(() => storage.list({ prefix: 'p/' }), 'p/b');
    const snapshot = await storage.snapshot();
    await expectCorrupt(() => snapshot.get('p/b'), 'p/b');
    await expectCorrupt(() => storage.compareAndWrite('p/b', seenAt(4), encodeUtf8('x')), 'p/b');
    await expectCorrupt(() => storage.delete('p/b'), 'p/b');
    await expectCorrupt(() => storage.create('p/b', encodeUtf8('x')), 'p/b');
    expect(await storage.get('p/a')).toMatchObject({ outcome: 'found' });
    expect(await storage.list({ prefix: 'p/c' })).toMatchObject({ outcome: 'ok', remaining: 0 });
    expect(await storage.create('p/d', encodeUtf8('x'))).toMatchObject({ outcome: 'ok' });
    const { events, end } = await resume(storage, 1);
    expect(end).toMatchObject({ reason: 'failed', error: { code: 'Corrupt' } });
    expect(events).toEqual([]);
  });

  it('of an old version is Corrupt only for reads of old revisions', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    damage(folder, 'first value of b', 3);
    const storage = await openLmdbStorage({ folder });
    onTestFinished(() => storage.stop());
    expect(await storage.get('p/b')).toMatchObject({ outcome: 'found', item: { revision: 4 } });
    expect(await storage.list({ prefix: '' })).toMatchObject({ outcome: 'ok', remaining: 0 });
    await expectCorrupt(() => storage.get('p/b', { revision: 3 }), 'p/b');
    await expectCorrupt(() => storage.list({ prefix: '' }, { revision: 3 }), 'p/b');
    expect((await resume(storage, 2)).end).toMatchObject({ reason: 'failed', error: { code: 'Corrupt' } });
  });

  it('of the index is detected by the checksum that it shares with its record', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    const bytes = readFileSync(join(folder, 'data.mdb'));
    // The entry of p/b: its key, then the position of revision 4 (4 * 128) as a double. Bit 0 of the exponent's byte
    // makes it another number.
    const entry = Buffer.concat([Buffer.from('p/b'), Buffer.from(new Float64Array([512]).buffer)]);
    expect(bytes.indexOf(entry)).toBeGreaterThan(0);
    damage(folder, entry.toString('latin1').slice(0, 3), 3 + 7);
    const storage = await openLmdbStorage({ folder });
    onTestFinished(() => storage.stop());
    await expectCorrupt(() => storage.get('p/b'), 'p/b');
  });

  it('is reported by verifyFolder, which reports nothing for an undamaged folder', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    expect(await verifyFolder(folder)).toEqual({ revision: 5, keys: 3, records: 4, problems: [] });
    damage(folder, 'first value of c');
    const { problems } = await verifyFolder(folder);
    expect(problems.some((problem) => problem.includes('"p/c"') && problem.includes('checksum'))).toBe(true);
  });
});

describe('the checksum', () => {
  it('depends on every bit and on the length, and not on the alignment of the bytes', () => {
    for (const size of [0, 1, 3, 4, 15, 16, 17, 47, 64, 131]) {
      const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 37 + size) & 0xff);
      const sum = checksumOf(bytes);
      for (let shift = 1; shift < 5; shift++) {
        const moved = new Uint8Array(size + shift + 3);
        moved.set(bytes, shift);
        expect(checksumOf(moved, shift, shift + size)).toBe(sum);
        expect(checksumOf(moved.subarray(shift, shift + size))).toBe(sum);
      }
      for (let bit = 0; bit < size * 8; bit++) {
        const changed = bytes.slice();
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(checksumOf(changed)).not.toBe(sum);
      }
      expect(checksumOf(Uint8Array.from([...bytes, 0]))).not.toBe(sum);
    }
  });

  it('differs for ten thousand similar records', () => {
    const bytes = new Uint8Array(64);
    const sums = new Set<number>();
    for (let i = 0; i < 10_000; i++) {
      bytes[i % 64] = (bytes[i % 64] as number) + 1;
      sums.add(checksumOf(bytes));
    }
    // Two of 10,000 random 32-bit numbers are equal once in 86 such sets.
    expect(sums.size).toBe(10_000);
  });
});
