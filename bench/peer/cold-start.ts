/**
 * The time from exec to the first 200 of /readyz, in an empty folder, so that keys and certificates are made on the
 * way. Then the figures of the same server when it is idle.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeEtcdUrls, spawnEtcd } from '../../compat/peers/etcd.ts';
import { freePort } from '../../compat/peers/free-port.ts';
import type { Credentials } from '../../compat/peers/peer.ts';
import { type Child, type ChildPlace, startChild } from '../../compat/peers/process.ts';
import { keelsonCli, program } from '../../compat/peers/programs.ts';
import { cpuSeconds, type MemoryFigures, memoryOf } from './process-figures.ts';
import { send } from './side.ts';

export interface Started {
  readonly url: string;
  readonly seconds: number;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/**
 * The environment of a measured program of Node. With NODE_EXTRA_CA_CERTS Node parses all of its root certificates
 * before the program runs (nodejs/node#40524), which is a property of the machine.
 */
export const NODE_PLACE: ChildPlace = { env: { NODE_EXTRA_CA_CERTS: '' } };

const POLL_MS = 5;
const POLLS = 6000;

/** `cli` is the command of another build. Default: the one of this repository. */
export async function startOurs(cli: string = keelsonCli()): Promise<Started> {
  return startTimed(async (folder, port) => [
    startChild(
      process.execPath,
      [cli, `--data-dir=${join(folder, 'data')}`, `--secure-port=${port}`],
      join(folder, 'log'),
      NODE_PLACE,
    ),
  ]);
}

export async function startTheirs(credentials: Credentials): Promise<Started> {
  const apiserver = program('kube-apiserver');
  const urls = await freeEtcdUrls();
  return startTimed(async (folder, port) => {
    mkdirSync(join(folder, 'certs'));
    return [
      spawnEtcd(urls, { folder, fsync: true }),
      startChild(
        apiserver,
        [
          `--etcd-servers=${urls.client}`,
          '--bind-address=127.0.0.1',
          '--advertise-address=127.0.0.1',
          `--secure-port=${port}`,
          `--cert-dir=${join(folder, 'certs')}`,
          '--authorization-mode=RBAC',
          '--service-account-issuer=https://kubernetes.default.svc',
          `--service-account-key-file=${credentials.publicKeyFile}`,
          `--service-account-signing-key-file=${credentials.signingKeyFile}`,
          '--service-cluster-ip-range=10.0.0.0/24',
          '--endpoint-reconciler-type=none',
        ],
        join(folder, 'log'),
      ),
    ];
  });
}

/** Starts processes in a folder of their own, and resolves when the last one is ready on the port. */
export async function startTimed(spawn: (folder: string, port: number) => Promise<readonly Child[]>): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-start-'));
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const begin = performance.now();
  const children = await spawn(folder, port);
  const stop = async (): Promise<void> => {
    for (const child of [...children].reverse()) await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (let i = 0; i < POLLS; i++) {
    const ended = children.find((child) => child.ended() !== undefined);
    if (ended !== undefined) throw new Error(`a server ended with ${ended.ended()}; see ${folder}`);
    // A refused connection, or an answer other than 200, means that the server is not ready yet.
    const status = await send({ url, token: '' }, 'GET', '/readyz').then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200)
      return { url, seconds: (performance.now() - begin) / 1000, pids: children.map(({ pid }) => pid), stop };
    await sleep(POLL_MS);
  }
  await stop();
  throw new Error('a server did not become ready');
}

export interface RestFigures extends MemoryFigures {
  /** The share of one core. */
  readonly cpu: number;
}

/** Measured over 30 s, beginning 20 s after the start, because V8 and Go collect garbage once before that. */
export async function atRest(started: Started): Promise<RestFigures> {
  await sleep(20_000);
  const before = cpuSeconds(started.pids);
  await sleep(30_000);
  return { ...memoryOf(started.pids), cpu: (cpuSeconds(started.pids) - before) / 30 };
}
