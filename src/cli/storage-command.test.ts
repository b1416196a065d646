import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { systemClock } from '../base/clock.ts';
import { nodePlatform } from '../controlplane/node/node-platform.ts';
import { ensurePki } from '../pki/pki-folder.ts';
import { lockFolder } from '../storage/lmdb/folder-lock.ts';
import { openLmdbStorage } from '../storage/lmdb/open.ts';
import { REVISION_GAP } from '../storage/lmdb/restart-history.ts';
import { damage } from '../storage/lmdb/test-folder.fixtures.ts';
import { seenAt } from '../storage/suite/context.ts';
import { runCommand } from './program.ts';

let folder: string;
let output: string[];
let complaints: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-backup-'));
  output = [];
  complaints = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: unknown) => void complaints.push(String(line)));
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

const at = (...path: string[]): string => join(folder, ...path);
const backUp = (source = 'data', target = 'backup'): Promise<number> =>
  runCommand(['storage', 'backup', at(target), '--data-dir', at(source)]);
const restore = (target: string, ...flags: string[]): Promise<number> =>
  runCommand(['storage', 'restore', at('backup'), '--data-dir', at(target), ...flags]);

/** Makes a data folder whose store is at revision 304, with 99 keys, one of them with a time to live. */
async function dataFolder(name = 'data'): Promise<void> {
  await ensurePki({ folder: at(name, 'pki'), clock: systemClock });
  const storage = await openLmdbStorage({ folder: at(name, 'storage') });
  for (let i = 0; i < 100; i++) await storage.create(`k/${i}`, encodeUtf8(`first ${i}`));
  for (let i = 0; i < 100; i++) await storage.compareAndWrite(`k/${i}`, seenAt(2 + i), encodeUtf8(`second ${i}`));
  for (let i = 0; i < 100; i++) await storage.compareAndWrite(`k/${i}`, seenAt(102 + i), encodeUtf8(`third ${i}`));
  for (const i of [1, 2]) await storage.delete(`k/${i}`);
  await storage.create('temporary', encodeUtf8('x'), { ttlMs: 3_600_000 });
  expect(await storage.revision()).toBe(304);
  await storage.stop();
}

describe('keelson storage backup and restore', () => {
  it('keep every object with its revision and every key file, readable by their owner only', async () => {
    await dataFolder();
    expect(await backUp()).toBe(0);
    expect(output[0]).toMatch(/^backed up 99 objects at revision 304 from \S+data to \S+backup \(\d+ kB, verified\)$/);
    expect(output[1]).toBe('The backup contains the private keys of the server: keep it secret.');
    expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
    for (const path of ['.', 'storage', 'pki']) expect(statSync(at('backup', path)).mode & 0o777).toBe(0o700);
    for (const path of ['backup.json', 'storage/data.mdb', 'storage/format', 'pki/ca.key', 'pki/ca.crt'])
      expect([path, statSync(at('backup', path)).mode & 0o777]).toEqual([path, 0o600]);
    expect(await runCommand(['storage', 'verify', at('backup')])).toBe(0);
    expect(output.at(-1)).toMatch(/^revision 304, 99 keys, \d+ records, 0 problems$/);

    expect(await restore('restored')).toBe(0);
    expect(output.at(-2)).toMatch(/^restored 99 objects at revision 304 to \S+restored \(backup of \S+Z, verified\)$/);
    expect(output.at(-1)).toContain(`New writes continue after revision ${304 + REVISION_GAP}`);
    expect(readdirSync(at('restored')).sort()).toEqual(['pki', 'storage']);
    for (const name of readdirSync(at('data', 'pki')))
      expect(readFileSync(at('restored', 'pki', name), 'utf8')).toBe(readFileSync(at('data', 'pki', name), 'utf8'));
    expect(statSync(at('restored', 'pki', 'ca.key')).mode & 0o777).toBe(0o600);
    expect(complaints).toEqual([]);
  });

  it('start a new history: objects keep their revisions, and older watches are told to list again', async () => {
    await dataFolder();
    await backUp();
    await restore('restored');
    const storage = await openLmdbStorage({ folder: at('restored', 'storage') });
    const kept = await storage.get('k/7');
    if (kept.outcome !== 'found') throw new Error(kept.outcome);
    expect([decodeUtf8(kept.item.value), kept.item.revision, kept.item.created]).toEqual(['third 7', 209, 9]);
    expect(await storage.get('k/1')).toMatchObject({ outcome: 'missing' });
    expect(await storage.get('k/7', { revision: 304, lookBack: true })).toMatchObject({ outcome: 'compacted' });
    expect(await storage.create('new', encodeUtf8('x'))).toMatchObject({ revision: 305 + REVISION_GAP });
    expect(await storage.compareAndWrite('k/7', seenAt(209), encodeUtf8('fourth'))).toMatchObject({ outcome: 'ok' });
    await storage.stop();
    expect(await runCommand(['storage', 'verify', at('restored')])).toBe(0);
  });

  it('refuse a data folder without a store, and targets that are not empty', async () => {
    await mkdir(at('data'));
    expect(await backUp()).toBe(2);
    expect(complaints.at(-1)).toMatch(
      /^keelson: data folder \S+ holds no stored objects: no server was started with it/,
    );
    await dataFolder();
    expect(await backUp()).toBe(0);
    expect(await backUp()).toBe(2);
    expect(complaints.at(-1)).toMatch(/^keelson: \S+backup exists and is not empty/);
    expect(await restore('data')).toBe(2);
    expect(complaints.at(-1)).toMatch(
      /^keelson: data folder \S+data is not empty \(pki, storage\): name an empty one, or /,
    );
    expect(await runCommand(['storage', 'restore', at('data'), '--data-dir', at('other')])).toBe(2);
    expect(complaints.at(-1)).toMatch(/^keelson: \S+data is not a backup: it has no file backup\.json$/);
    expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
  });

  it('replace the contents of a data folder if asked, but never those of a folder in use', async () => {
    await dataFolder();
    await backUp();
    const storage = await openLmdbStorage({ folder: at('data', 'storage') });
    await storage.create('later', encodeUtf8('x'));
    expect(await restore('data', '--replace')).toBe(2);
    expect(complaints.at(-1)).toContain('is already open in this process');
    await storage.stop();
    const release = lockFolder(at('data'));
    expect(await restore('data', '--replace')).toBe(2);
    release();
    writeFileSync(at('data', 'admin.kubeconfig'), 'of the former keys');
    writeFileSync(at('data', 'notes.txt'), 'of the operator');
    expect(await restore('data', '--replace')).toBe(0);
    expect(readdirSync(at('data')).sort()).toEqual(['notes.txt', 'pki', 'storage']);
    const again = await openLmdbStorage({ folder: at('data', 'storage') });
    expect(await again.get('later')).toMatchObject({ outcome: 'missing' });
    await again.stop();
  });

  it.each(['storage/data.mdb', 'pki/ca.key'])('find a damaged %s before anything changes', async (name) => {
    await dataFolder();
    await backUp();
    const bytes = readFileSync(at('backup', name));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(at('backup', name), bytes);
    expect(await restore('restored')).toBe(1);
    expect(complaints.at(-1)).toMatch(/^keelson: \S+ is damaged: its hash is not that in backup\.json$/);
    expect(readdirSync(folder).sort()).toEqual(['backup', 'data']);
  });

  it('make no backup of a damaged store', async () => {
    await dataFolder();
    expect(damage(at('data', 'storage'), 'third 50')).toBeGreaterThan(0);
    expect(await backUp()).toBe(1);
    expect(complaints.at(-1)).toMatch(
      /^keelson: data folder \S+data\/storage is damaged: the record of key "k\/50" at revision 252 is damaged/,
    );
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('refuse a manifest with a path outside of the backup, and one of a newer program', async () => {
    await dataFolder();
    await backUp();
    const manifest = JSON.parse(readFileSync(at('backup', 'backup.json'), 'utf8')) as { files: object };
    const outside = { ...manifest.files, 'pki/../../outside': { bytes: 0, sha256: '' } };
    writeFileSync(at('backup', 'backup.json'), JSON.stringify({ ...manifest, files: outside }));
    expect(await restore('restored')).toBe(2);
    expect(complaints.at(-1)).toContain('the entry of the file "pki/../../outside" is not valid');
    writeFileSync(at('backup', 'backup.json'), JSON.stringify({ ...manifest, format: 2 }));
    expect(await restore('restored')).toBe(2);
    expect(complaints.at(-1)).toContain('has format 2, and this program knows formats up to 1');
  });

  it('keep a server from starting after an interrupted restore, which a second run finishes', async () => {
    await dataFolder();
    await backUp();
    // The former store was moved away, and the new one was not moved in.
    await mkdir(at('data', 'restore.old'));
    renameSync(at('data', 'storage'), at('data', 'restore.old', 'storage'));
    await expect(nodePlatform.lockFolder(at('data'))).rejects.toThrow(
      /has an unfinished restore: run "keelson storage restore" with --replace again/,
    );
    expect(await restore('data', '--replace')).toBe(0);
    expect(readdirSync(at('data')).sort()).toEqual(['pki', 'storage']);
    (await nodePlatform.lockFolder(at('data')))();
  });
});

describe('keelson storage export, import and migrate', () => {
  /** Makes a data folder whose store has one object of a server. */
  const served = async (name: string): Promise<void> => {
    const storage = await openLmdbStorage({ folder: at(name, 'storage') });
    await storage.create('registry/configmaps/default/a', encodeUtf8('{}'));
    await storage.stop();
  };

  it('print a table of resources, or JSON with whole hashes', async () => {
    await served('data');
    expect(await runCommand(['storage', 'export', at('a.db'), '--data-dir', at('data')])).toBe(0);
    const [header, row, summary, note] = (output[0] ?? '').split('\n');
    expect(header).toBe('RESOURCE    OBJECTS  SHA-256');
    expect(row).toMatch(/^configmaps {8}1 {2}[0-9a-f]{16}$/);
    expect(summary).toMatch(/^exported 1 objects at revision 2 from \S+data to \S+a.db \(1 kB, verified\)$/);
    expect(note).toBe('Objects keep their resourceVersions.');

    const args = ['storage', 'migrate', '--from-data-dir', at('data'), '--to-data-dir', at('moved')];
    expect(await runCommand([...args, '--bump-revision', '10', '-o', 'json', '-q'])).toBe(0);
    expect(JSON.parse(output[1] ?? '')).toMatchObject({
      verified: true,
      revision: 2,
      nextRevision: 12,
      objects: 1,
      resources: [{ resource: 'configmaps', objects: 1, bytes: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
    expect(await runCommand(['storage', 'import', at('a.db'), '--data-dir', at('imported')])).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each([
    [['migrate'], 'name a store with --from-data-dir or --from-etcd-servers'],
    [['migrate', '--from-data-dir', 'a'], 'name a store with --to-data-dir or --to-etcd-servers'],
    [['migrate', '--from-data-dir', 'a', '--from-etcd-servers', 'b'], 'name two stores: give one of them'],
    [['export', 'a.db', '--etcd-prefix', '/x'], '--etcd-prefix needs --etcd-servers'],
    [['export', 'a.db', '--etcd-servers', 'ftp://x'], '"ftp://x" is not the URL of an etcd server'],
    [['export', 'a.db', '--etcd-servers', 'x', '--etcd-keyfile', 'k'], '--etcd-certfile and --etcd-keyfile belong'],
    [['export', 'a.db', '--etcd-servers', 'x', '--etcd-cafile', 'none'], '--etcd-cafile: the file none does not exist'],
    [['import', 'none.db', '--bump-revision', 'x'], '--bump-revision: "x" is not a number'],
    [['import', 'none.db', '-o', 'yaml'], '--output: "yaml" is not one of table, json'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    expect(await runCommand(['storage', ...args])).toBe(2);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain(sentence);
  });
});
