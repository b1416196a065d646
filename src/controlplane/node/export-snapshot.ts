/** The export of a data folder to an etcd snapshot file. Keys are those of etcd, values and revisions stay as they are. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { equalBytes } from '../../base/bytes.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import { StorageError } from '../../storage/errors.ts';
import { copyStore } from '../../storage/lmdb/copy-store.ts';
import { openLmdbStorage } from '../../storage/lmdb/open.ts';
import { openFile } from '../../storage/snapshot-file/random-access.ts';
import { readSnapshot, verifyHash } from '../../storage/snapshot-file/read-snapshot.ts';
import { type WrittenRevision, writeSnapshot } from '../../storage/snapshot-file/write-snapshot.ts';
import type { KeyValue } from '../../storage/storage.ts';
import { ETCD_PREFIX, etcdKeyOf } from '../etcd-keys.ts';

export interface ExportedSnapshot {
  readonly objects: number;
  readonly revision: number;
  readonly bytes: number;
}

/**
 * Writes a new file with mode 0600, reads it again and compares every value. Times to live are not part of it. Throws
 * ConfigError if the file exists or the folder holds no store.
 */
export async function exportSnapshot(options: {
  readonly dataDir: string;
  readonly target: string;
}): Promise<ExportedSnapshot> {
  const { dataDir, target } = options;
  if (existsSync(target)) throw new ConfigError(`${target} exists already`);
  const { items, revision } = await readStore(join(dataDir, 'storage'));
  const revisions = revisionsOf(items);
  const bytes = writeSnapshot(revisions, { compacted: revision });
  await writeNew(target, bytes);
  verifyExport(target, revisions, revision);
  return { objects: items.length, revision, bytes: bytes.byteLength };
}

/** Reads a copy, so that a server may use the store meanwhile. */
async function readStore(folder: string): Promise<{ readonly items: readonly KeyValue[]; readonly revision: number }> {
  const draft = mkdtempSync(join(tmpdir(), 'keelson-export-'));
  try {
    await copyStore(folder, join(draft, 'storage'));
    const storage = await openLmdbStorage({ folder: join(draft, 'storage') });
    try {
      const list = await storage.list({ prefix: '' });
      if (list.outcome !== 'ok') throw new StorageError('Unavailable', `the state of ${folder} cannot be read`);
      return { items: list.items, revision: list.revision };
    } finally {
      await storage.stop();
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** In the order of revisions. Keys that one transaction wrote share a revision and are numbered within it. */
function revisionsOf(items: readonly KeyValue[]): readonly WrittenRevision[] {
  const sorted = [...items].sort((a, b) => a.revision - b.revision);
  let sub = 0;
  return sorted.map(({ key, value, revision, created }, i) => {
    sub = sorted[i - 1]?.revision === revision ? sub + 1 : 0;
    return { key: etcdKeyOf(key, ETCD_PREFIX), value, revision, created, sub };
  });
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (caught) {
    throw new ConfigError(`cannot write ${path}: ${toError(caught).message}`, { cause: caught });
  }
}

function verifyExport(path: string, revisions: readonly WrittenRevision[], revision: number): void {
  const file = openFile(path);
  try {
    verifyHash(file);
    const state = readSnapshot(file);
    const values = new Map(state.items.map((item) => [item.key, item.value]));
    const isEqual = revisions.every(({ key, value }) => equalBytes(values.get(key) ?? NONE, value ?? NONE));
    if (values.size !== revisions.length || state.revision !== revision || !isEqual)
      throw new StorageError('Corrupt', `${path} does not have the objects that were written to it`);
  } finally {
    file.close();
  }
}

const NONE = new Uint8Array(0);
