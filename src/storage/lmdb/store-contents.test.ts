import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { openLmdbStorage } from './open.ts';
import { readStore, type StoredKey, writeStore } from './store-contents.ts';
import { makeFolder } from './test-folder.fixtures.ts';
import { verifyFolder } from './verify.ts';

const NOW = Date.now();

function key(name: string, revision: number, fields: Partial<StoredKey> = {}): StoredKey {
  return { key: name, value: encodeUtf8(`value of ${name}`), revision, created: revision, expires: 0, ...fields };
}

it('a store that is written as a whole keeps revisions and times to live, and continues after its revision', async () => {
  const folder = join(makeFolder(onTestFinished), 'storage');
  const expires = NOW + 3_600_000;
  const keys = [key('r/b', 7, { created: 3 }), key('r/a', 9), key('r/a2', 9), key('r/ümlaut', 40, { expires })];
  const steps: number[] = [];
  const onProgress = (done: number): void => void steps.push(done);
  await writeStore(folder, { keys, revision: 1000, imported: true, now: NOW, onProgress });
  expect(steps).toEqual([4]);
  expect(await verifyFolder(folder)).toMatchObject({ revision: 1000, keys: 4, records: 4, problems: [] });

  const contents = await readStore(folder);
  expect([contents.revision, contents.imported]).toEqual([1000, true]);
  const read = contents.keys.map(({ value, ...rest }) => [rest.key, decodeUtf8(value), rest.revision, rest.created]);
  expect(read).toEqual([
    ['r/a', 'value of r/a', 9, 9],
    ['r/a2', 'value of r/a2', 9, 9],
    ['r/b', 'value of r/b', 7, 3],
    ['r/ümlaut', 'value of r/ümlaut', 40, 40],
  ]);
  expect(contents.keys.map((each) => each.expires)).toEqual([0, 0, 0, expires]);

  const storage = await openLmdbStorage({ folder });
  expect(storage.imported).toBe(true);
  expect(await storage.get('r/b', { revision: 999 })).toMatchObject({ outcome: 'compacted', horizon: 1000 });
  expect(await storage.create('r/c', encodeUtf8('new'))).toMatchObject({ revision: 1001 });
  await storage.stop();
  expect((await verifyFolder(folder)).problems).toEqual([]);
});

it('a store of this program is not imported, and deleted keys are not part of its contents', async () => {
  const folder = makeFolder(onTestFinished);
  const storage = await openLmdbStorage({ folder });
  await storage.create('r/a', encodeUtf8('1'));
  await storage.create('r/b', encodeUtf8('1'), { ttlMs: 60_000 });
  await storage.delete('r/a');
  await expect(readStore(folder)).rejects.toThrow(/is already open in this process/);
  await storage.stop();
  const { imported, keys, revision } = await readStore(folder);
  expect([imported, revision, keys.map((each) => each.key)]).toEqual([false, 4, ['r/b']]);
  expect(keys[0]?.expires).toBeGreaterThan(NOW);
  await expect(readStore(join(folder, 'none'))).rejects.toThrow(/holds no store/);
});

it.each([
  ['a value that is too long', key('r/a', 2, { value: new Uint8Array(1_500_001) }), /has 1500001 bytes/],
  ['a key that cannot be stored', key('r/\ud800', 2), /not escaped/],
])('%s is refused', async (_, bad, message) => {
  const folder = join(makeFolder(onTestFinished), 'storage');
  await expect(writeStore(folder, { keys: [bad], revision: 2, imported: true, now: NOW })).rejects.toThrow(message);
});

it('a revision with more keys than a transaction may have is refused', async () => {
  const folder = join(makeFolder(onTestFinished), 'storage');
  const keys = Array.from({ length: 129 }, (_, i) => key(`r/${i}`, 5));
  const written = writeStore(folder, { keys, revision: 5, imported: true, now: NOW });
  await expect(written).rejects.toThrow(/revision 5 has more than 128 keys/);
});
