import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { systemClock } from '../../../base/clock.ts';
import { escapeSegment } from '../../../storage/keys.ts';
import { lockFolder } from '../../../storage/lmdb/folder-lock.ts';
import { openLmdbStorage } from '../../../storage/lmdb/open.ts';
import { readStore } from '../../../storage/lmdb/store-contents.ts';
import { loadSnapshot } from '../../../storage/snapshot-file/load-snapshot.ts';
import { writeSnapshotFile } from '../../../storage/snapshot-file/write-file.ts';
import { nodePlatform } from '../node-platform.ts';
import { folderSource, folderTarget } from './folder-end.ts';
import { type MoveResult, moveData } from './move-data.ts';
import type { MoveSource, MoveTarget } from './moved-state.ts';
import { snapshotSource, snapshotTarget } from './snapshot-end.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-move-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...path: string[]): string => join(folder, ...path);
const now = (): number => Date.now();
const move = (source: MoveSource, target: MoveTarget): Promise<MoveResult> =>
  moveData({ source, target, clock: systemClock, report: () => undefined });

const data = (whileServed = true, dataDir = at('data')): MoveSource => folderSource({ dataDir, whileServed });
const file = (prefix = '/registry', path = at('moved.db')): MoveSource => snapshotSource({ path, prefix, now });
const newFile = (path = at('moved.db')): MoveTarget => snapshotTarget({ path, prefix: '/registry', now });
const newData = (options: { replace?: boolean; bump?: number; dataDir?: string } = {}): MoveTarget =>
  folderTarget({ dataDir: at('other'), replace: false, bump: 1000, clock: systemClock, ...options });

/** Makes a data folder at revision 54: 49 pods, a role with an escaped name, an event that expires. */
async function dataFolder(name = 'data'): Promise<void> {
  const storage = await openLmdbStorage({ folder: at(name, 'storage') });
  for (let i = 0; i < 50; i++) await storage.create(`registry/pods/default/p${i}`, encodeUtf8(`{"n":${i}}`));
  await storage.create(`registry/clusterroles/${escapeSegment('😀')}`, encodeUtf8('{}'));
  await storage.create('registry/events/default/e', encodeUtf8('{}'), { ttlMs: 3_600_000 });
  await storage.delete('registry/pods/default/p49');
  await storage.stop();
}

describe('moving data', () => {
  it('from a data folder to a snapshot file and back keeps keys, values, revisions and times to live', async () => {
    await dataFolder();
    const exported = await move(data(), newFile());
    expect(exported).toMatchObject({ objects: 51, revision: 54, nextRevision: 54 });
    expect(exported.resources.map(({ resource, objects }) => [resource, objects])).toEqual([
      ['clusterroles', 1],
      ['events', 1],
      ['pods', 49],
    ]);
    expect(exported.notes).toEqual([
      'Objects keep their resourceVersions.',
      'Objects that expire: 1. Their leases begin when etcd restores the file.',
    ]);
    const { state } = loadSnapshot(at('moved.db'));
    expect(state.items[0]?.key).toBe('/registry/clusterroles/😀');
    expect(state.items.find(({ key }) => key.endsWith('/e'))?.ttlSeconds).toBe(3600);

    const imported = await move(file(), newData());
    expect(imported).toMatchObject({ objects: 51, revision: 54, nextRevision: 1054, resources: exported.resources });
    expect(readdirSync(at('other'))).toEqual(['storage']);
    const [before, after] = [await readStore(at('data', 'storage')), await readStore(at('other', 'storage'))];
    const withoutTime = ({ keys }: typeof before): unknown => keys.map(({ expires, ...rest }) => [rest, expires > 0]);
    expect(withoutTime(after)).toEqual(withoutTime(before));
    expect([before.imported, after.imported, after.revision]).toEqual([false, true, 1054]);
    (await nodePlatform.lockFolder(at('other')))();

    const again = await move(data(false, at('other')), newData({ dataDir: at('third') }));
    expect(again.resources).toEqual(exported.resources);
    expect((await readStore(at('third', 'storage'))).imported).toBe(true);
  });

  it('passes values as they are, and leaves out keys of kube-apiserver itself for a data folder', async () => {
    const value = Uint8Array.of(0x6b, 0x38, 0x73, 0, 1, 2, 0xff);
    const item = (key: string, revision: number) => ({ key: `/registry/${key}`, value, revision, created: revision });
    const revisions = [item('pods/default/a', 2), item('ranges/servicenodeports', 3), item('masterleases/1.2.3.4', 4)];
    writeSnapshotFile(at('moved.db'), [...revisions, { ...item('x', 5), key: 'compact_rev_key' }], {});
    const { notes, objects } = await move(file(), newData());
    expect(objects).toBe(1);
    expect(notes.slice(0, 2)).toEqual([
      'Left out: 1 key not below the prefix /registry.',
      'Left out: 2 keys that kube-apiserver keeps for itself (ranges, masterleases).',
    ]);
    expect((await readStore(at('other', 'storage'))).keys[0]?.value).toEqual(Buffer.from(value));
  });

  it('refuses a target with objects unless it is to be replaced, and a folder in use', async () => {
    await dataFolder();
    await dataFolder('other');
    await move(data(), newFile());
    await expect(move(data(), newFile())).rejects.toThrow(/moved.db exists already/);
    await expect(move(file(), newData())).rejects.toThrow(/other has objects already: .*--replace/);
    const release = lockFolder(at('other'));
    await expect(move(file(), newData({ replace: true }))).rejects.toThrow(/is already open in this process/);
    await expect(move(data(false, at('other')), newFile(at('b.db')))).rejects.toThrow(/is already open/);
    release();
    writeFileSync(at('other', 'notes.txt'), 'of the operator');
    await move(file(), newData({ replace: true }));
    expect(readdirSync(at('other')).sort()).toEqual(['notes.txt', 'storage']);
    expect((await readStore(at('other', 'storage'))).revision).toBe(1054);
  });

  it('says in one sentence what is wrong with a source', async () => {
    await dataFolder();
    await move(data(), newFile());
    await expect(move(file('/foo'), newData())).rejects.toThrow(
      /moved.db has no keys below the prefix \/foo: it has other keys, such as "\/registry\/clusterroles/,
    );
    const bytes = readFileSync(at('moved.db'));
    writeFileSync(at('cut.db'), bytes.subarray(0, bytes.length >> 1));
    await expect(move(file('/registry', at('cut.db')), newData())).rejects.toThrow(/damaged at offset \d+/);
    bytes[9000] = (bytes[9000] as number) ^ 1;
    writeFileSync(at('bad.db'), bytes);
    await expect(move(file('/registry', at('bad.db')), newData())).rejects.toThrow(/SHA-256 at its end is not that/);
    await expect(move(file('/registry', at('none.db')), newData())).rejects.toThrow(/none.db does not exist/);
    await mkdir(at('empty'));
    await expect(move(data(false, at('empty')), newFile(at('c.db')))).rejects.toThrow(/holds no stored objects/);
    expect(readdirSync(at('other')), 'nothing is left of failed imports').toEqual([]);
    await expect(move(data(), newFile(at('no', 'd.db')))).rejects.toThrow(/the folder of \S+d.db does not exist/);
  });

  it('refuses a new prefix for values that their encryption binds to the old one', async () => {
    const value = encodeUtf8('k8s:enc:aesgcm:v1:key1:bytes');
    writeSnapshotFile(at('moved.db'), [{ key: '/other/secrets/default/a', value, revision: 2, created: 2 }], {});
    await expect(move(file('/other'), newData())).rejects.toThrow(
      /secrets\/default\/a is encrypted by aesgcm, which binds it to the prefix \/other/,
    );
  });

  it('finds a value that is not the one that was written, and finishes nothing', async () => {
    await dataFolder();
    const target = newFile();
    const changed: MoveTarget = {
      ...target,
      readBack: async (report) => {
        const state = await target.readBack(report);
        const [, , , , changedKey] = state.keys;
        return {
          ...state,
          keys: state.keys.slice(1),
          items: async function* (keys) {
            for await (const batch of state.items(keys))
              yield batch.map((item) => (item.path === changedKey?.path ? { ...item, value: encodeUtf8('x') } : item));
          },
        };
      },
    };
    await expect(move(data(), changed)).rejects.toThrow(
      /does not hold what was written: clusterroles\/😀 is missing, and 1 more difference/,
    );
    expect(existsSync(at('moved.db'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('keeps a server from starting after an interrupted import, which a second run finishes', async () => {
    await dataFolder();
    await move(data(), newFile());
    await mkdir(at('other', 'import.new', 'storage'), { recursive: true });
    await expect(nodePlatform.lockFolder(at('other'))).rejects.toThrow(
      /other has an unfinished import: run "keelson storage import" or "migrate" again/,
    );
    expect(await move(file(), newData())).toMatchObject({ objects: 51 });
    (await nodePlatform.lockFolder(at('other')))();
    expect(decodeUtf8((await readStore(at('other', 'storage'))).keys.at(-1)!.value)).toBe('{"n":9}');
  });
});
