/** etcd on loopback addresses of its own, in a folder of the caller. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type Child, startChild, waitUntilReady } from './process.ts';
import { program } from './programs.ts';

export interface EtcdUrls {
  /** For clients. */
  readonly client: string;
  readonly peer: string;
}

export interface EtcdOptions {
  /** Made if it is missing. Gets the data and the log. */
  readonly folder: string;
  /** Default false: etcd does not sync to disk, because comparisons need no durability. */
  readonly fsync?: boolean;
  /** More flags. Default none. */
  readonly flags?: readonly string[];
}

export interface Etcd extends Child {
  readonly url: string;
}

export async function freeEtcdUrls(): Promise<EtcdUrls> {
  return { client: `http://127.0.0.1:${await freePort()}`, peer: `http://127.0.0.1:${await freePort()}` };
}

/** Starts etcd and does not wait for it, for measurements of a start. */
export function spawnEtcd({ client, peer }: EtcdUrls, { folder, fsync = false, flags = [] }: EtcdOptions): Child {
  mkdirSync(folder, { recursive: true });
  return startChild(
    program('etcd'),
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      ...(fsync ? [] : ['--unsafe-no-fsync']),
      ...flags,
    ],
    etcdLog(folder),
  );
}

/** Resolves when etcd is ready. Throws if it does not become ready. */
export async function startEtcd(options: EtcdOptions): Promise<Etcd> {
  const urls = await freeEtcdUrls();
  return waitForEtcd(spawnEtcd(urls, options), urls, options.folder);
}

/** Resolves when a member that was spawned in the folder is ready. Stops it and throws if it does not become ready. */
export async function waitForEtcd(child: Child, urls: EtcdUrls, folder: string): Promise<Etcd> {
  const check = async (): Promise<boolean> => (await fetch(`${urls.client}/health`)).ok;
  try {
    await waitUntilReady({ what: 'etcd', child, logFile: etcdLog(folder), check });
  } catch (caught) {
    await child.stop();
    throw caught;
  }
  return { ...child, url: urls.client };
}

function etcdLog(folder: string): string {
  return join(folder, 'etcd.log');
}
