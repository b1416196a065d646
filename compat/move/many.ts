/** Times of moves with many objects. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeStore } from '../../src/storage/lmdb/store-contents.ts';
import { startEtcd } from '../peers/etcd.ts';
import { moved } from './command.ts';

/** Objects of about 1 kB: a data folder is migrated to etcd, exported from it, and imported again. */
export async function moveMany(objects: number, folder: string): Promise<void> {
  const value = Buffer.alloc(1000, 'x');
  const keys = Array.from({ length: objects }, (_, i) => ({
    key: `registry/configmaps/default/c${String(i).padStart(7, '0')}`,
    value,
    revision: i + 2,
    created: i + 2,
    expires: 0,
  }));
  const data = join(folder, 'many');
  await writeStore(join(data, 'storage'), { keys, revision: objects + 1, imported: false, now: Date.now() });
  const etcd = await startEtcd({ folder: join(folder, 'many-etcd'), fsync: true });
  const file = join(folder, 'many-moved.db');
  try {
    const flags = `etcd-servers=${etcd.url}`;
    timed('data folder -> etcd', objects, () => moved('migrate', `--from-data-dir=${data}`, `--to-${flags}`));
    timed('etcd -> snapshot file', objects, () => moved('export', file, `--${flags}`));
    timed('snapshot file -> data folder', objects, () => moved('import', file, `--data-dir=${join(folder, 'many-2')}`));
    timed('etcd -> data folder', objects, () => {
      return moved('migrate', `--from-${flags}`, `--to-data-dir=${join(folder, 'many-3')}`);
    });
    timed('data folder -> snapshot file', objects, () => moved('export', `${file}.2`, `--data-dir=${data}`));
    console.log(`  the file has ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  } finally {
    await etcd.stop();
  }
}

function timed(what: string, expected: number, move: () => { readonly objects: number }): void {
  const begun = performance.now();
  const { objects } = move();
  const seconds = (performance.now() - begun) / 1000;
  console.log(`  ${what}: ${objects} objects in ${seconds.toFixed(1)} s`);
  if (objects !== expected) throw new Error(`${objects} of ${expected} objects were moved`);
}
