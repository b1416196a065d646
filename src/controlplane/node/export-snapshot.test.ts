import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { openLmdbStorage } from '../../storage/lmdb/open.ts';
import { openFile } from '../../storage/snapshot-file/random-access.ts';
import { readSnapshot } from '../../storage/snapshot-file/read-snapshot.ts';
import { exportSnapshot } from './export-snapshot.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-export-test-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('an export has the keys of etcd and the values and revisions of the data folder, which a server may use', async () => {
  const storage = await openLmdbStorage({ folder: join(folder, 'storage') });
  try {
    for (let i = 0; i < 50; i++) await storage.create(`registry/pods/default/p${i}`, encodeUtf8(`{"n":${i}}`));
    await storage.create('registry/clusterroles/a%002fb', encodeUtf8('{}'));
    await storage.delete('registry/pods/default/p49');
    const target = join(folder, 'export.db');
    const made = await exportSnapshot({ dataDir: folder, target });
    expect(made).toMatchObject({ objects: 50, revision: await storage.revision() });
    const file = openFile(target);
    const { items, revision } = readSnapshot(file);
    file.close();
    expect([items.length, revision]).toEqual([50, made.revision]);
    expect(items[0]).toMatchObject({ key: '/registry/clusterroles/a/b' });
    const first = items.find(({ key }) => key === '/registry/pods/default/p0');
    expect([decodeUtf8(first!.value), first!.revision, first!.created]).toEqual(['{"n":0}', 2, 2]);
    await expect(exportSnapshot({ dataDir: folder, target })).rejects.toThrow(/exists already/);
  } finally {
    await storage.stop();
  }
});
