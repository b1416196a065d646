import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { StorageError } from '../errors.ts';
import type { Storage, StorageEvent, WatchEnd } from '../storage.ts';
import { crc32, crc32ByTable } from './checksum.ts';
import { openLmdbStorage } from './open.ts';
import { damage, makeFolder } from './test-folder.ts';
import { verifyFolder } from './verify.ts';

/** Three keys; `p/b` has a second version. Every value is a recognisable text. */
async function fill(folder: string): Promise<void> {
  const storage = await openLmdbStorage({ folder });
  await storage.create('p/a', encodeUtf8('first value of a'));
  const { revision } = await storage.create('p/b', encodeUtf8('first value of b'));
  await storage.compareAndWrite('p/b', revision, encodeUtf8('second value of b'));
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
  it('is Corrupt, naming its key, in every read that needs it, and only there', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    expect(damage(folder, 'second value of b', 3)).toBeGreaterThan(0);
    const storage = await openLmdbStorage({ folder });
    onTestFinished(() => storage.stop());
    await expectCorrupt(() => storage.get('p/b'), 'p/b');
    await expectCorrupt(() => storage.list({ prefix: 'p/' }), 'p/b');
    const snapshot = await storage.snapshot();
    await expectCorrupt(() => snapshot.get('p/b'), 'p/b');
    await expectCorrupt(() => storage.compareAndWrite('p/b', 4, encodeUtf8('x')), 'p/b');
    await expectCorrupt(() => storage.delete('p/b'), 'p/b');
    await expectCorrupt(() => storage.create('p/b', encodeUtf8('x')), 'p/b');
    expect(await storage.get('p/a')).toMatchObject({ outcome: 'found' });
    expect(await storage.list({ prefix: 'p/c' })).toMatchObject({ outcome: 'ok', remaining: 0 });
    expect(await storage.create('p/d', encodeUtf8('x'))).toMatchObject({ outcome: 'ok' });
    const { events, end } = await resume(storage, 1);
    expect(end).toMatchObject({ reason: 'failed', error: { code: 'Corrupt' } });
    expect(events).toEqual([]);
  });

  it('of the past is Corrupt only for the past', async () => {
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

  it('of the index is found out by the checksum it must share with its record', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    const bytes = readFileSync(join(folder, 'data.mdb'));
    // The entry of p/b: its key, then the position of revision 4 (4 * 128) as a double. Bit 0 of the exponent's byte makes it another number.
    const entry = Buffer.concat([Buffer.from('p/b'), Buffer.from(new Float64Array([512]).buffer)]);
    expect(bytes.indexOf(entry)).toBeGreaterThan(0);
    damage(folder, entry.toString('latin1').slice(0, 3), 3 + 7);
    const storage = await openLmdbStorage({ folder });
    onTestFinished(() => storage.stop());
    await expectCorrupt(() => storage.get('p/b'), 'p/b');
  });

  it('is reported by verifyFolder, which finds nothing in a whole folder', async () => {
    const folder = makeFolder(onTestFinished);
    await fill(folder);
    expect(await verifyFolder(folder)).toEqual({ revision: 5, keys: 3, records: 4, problems: [] });
    damage(folder, 'first value of c');
    const { problems } = await verifyFolder(folder);
    expect(problems.some((problem) => problem.includes('"p/c"') && problem.includes('checksum'))).toBe(true);
  });
});

describe('the checksum', () => {
  it('is the same by table and native, whole and in parts', () => {
    for (let size = 0; size < 300; size += 7) {
      const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 37 + size) & 0xff);
      expect(crc32ByTable(bytes)).toBe(crc32(bytes));
      expect(crc32(bytes.subarray(size >> 1), crc32ByTable(bytes.subarray(0, size >> 1)))).toBe(crc32(bytes));
    }
    expect(crc32ByTable(encodeUtf8('123456789'))).toBe(0xcbf43926);
  });
});
