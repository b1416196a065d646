/** etcd's own offline program: the status of a snapshot file, and a member that is made from one. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Etcd, type EtcdUrls, freeEtcdUrls, spawnEtcd, waitForEtcd } from '../peers/etcd.ts';
import { program } from '../peers/programs.ts';

export interface SnapshotStatus {
  readonly hash: number;
  readonly revision: number;
  readonly totalKey: number;
}

/** Checks the pages of a file with bbolt. Throws with the message of the program if it refuses the file. */
export function snapshotStatus(path: string): SnapshotStatus {
  const text = execFileSync(program('etcdutl'), ['snapshot', 'status', path, '--write-out=json'], { encoding: 'utf8' });
  return JSON.parse(text) as SnapshotStatus;
}

/** Restores a file and starts a member with it. */
export async function startRestored(path: string, folder: string): Promise<Etcd> {
  const urls: EtcdUrls = await freeEtcdUrls();
  execFileSync(
    program('etcdutl'),
    [
      ...['snapshot', 'restore', path, `--data-dir=${join(folder, 'etcd')}`],
      ...[`--initial-cluster=default=${urls.peer}`, `--initial-advertise-peer-urls=${urls.peer}`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return waitForEtcd(spawnEtcd(urls, { folder }), urls, folder);
}
