/**
 * A minimal server of `keelson/extension` beside the Go sample-apiserver with etcd, behind the same kube-apiserver: the
 * start, the memory, and the CPU of requests that are sent to them directly. Ours is durable on LMDB; etcd syncs as by
 * default.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freeEtcdUrls, spawnEtcd } from '../../../compat/peers/etcd.ts';
import { type Credentials, TOKEN_USERS } from '../../../compat/peers/peer.ts';
import { startChild } from '../../../compat/peers/process.ts';
import { program, ROOT } from '../../../compat/peers/programs.ts';
import { startReference } from '../../../compat/peers/reference.ts';
import { NODE_PLACE, type Started, startTimed } from '../cold-start.ts';
import { memoryOf } from '../process-figures.ts';
import { ask, type Side, send } from '../side.ts';
import type { Bar } from '../table.ts';
import { type Measured, measure, type Work } from '../work.ts';

export interface ExtensionBench {
  readonly short: boolean;
  readonly credentials: Credentials;
  inTurns<T>(ours: Side, peer: Side, work: (side: Side) => Promise<T>, warmUp?: number): Promise<[T[], T[]]>;
  judge(bar: Bar): void;
}

const NAMESPACE = 'default';
const FLUNDERS = `/apis/wardle.example.com/v1alpha1/namespaces/${NAMESPACE}/flunders`;
const MEGA = 1e6;

const flunder = (name: string): string =>
  JSON.stringify({
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: name === '' ? { generateName: 'bench-' } : { name },
    spec: { reference: 'another', referenceType: 'Flunder' },
  });

export async function benchExtension(bench: ExtensionBench): Promise<void> {
  const { short, credentials, judge } = bench;
  const parent = await startReference({ credentials });
  const kubeconfig = parent.kubeconfig('admin');
  const running: { ours: Started | undefined; peer: Started | undefined } = { ours: undefined, peer: undefined };
  try {
    const seconds = { ours: [] as number[], peer: [] as number[] };
    const memory = { ours: [] as number[], peer: [] as number[] };
    const anonymous = { ours: [] as number[], peer: [] as number[] };
    for (let round = 0; round < (short ? 2 : 5); round++)
      for (const [name, start] of [
        ['ours', startOurs],
        ['peer', startSample],
      ] as const) {
        await running[name]?.stop();
        const started = await start(kubeconfig);
        running[name] = started;
        seconds[name].push(started.seconds * 1000);
        // The first request makes what a server makes on demand.
        await warm(sideOf(name, started));
        const used = memoryOf(started.pids);
        memory[name].push(used.resident / MEGA);
        anonymous[name].push(used.anonymous / MEGA);
      }
    const line = (name: string, figures: typeof seconds, unit: string, atLeast?: number): void =>
      judge({ name, unit, ...figures, better: 'less', ...(atLeast === undefined ? {} : { atLeast }) });
    line('a minimal extension server: from exec to ready', seconds, 'ms', 4);
    line('a minimal extension server: memory after its first requests', memory, 'MB', 2);
    line('a minimal extension server: the same without mapped files', anonymous, 'MB');
    await benchRequests(bench, sideOf('ours', running.ours), sideOf('peer', running.peer));
  } finally {
    await running.ours?.stop();
    await running.peer?.stop();
    await parent.stop();
  }
}

async function benchRequests({ short, inTurns, judge }: ExtensionBench, ours: Side, peer: Side): Promise<void> {
  const requests = short ? 2000 : 8000;
  const works: Readonly<Record<string, (side: Side) => Work>> = {
    GET: () => ({ path: `${FLUNDERS}/target`, requests, connections: 4, streams: 16 }),
    create: () => ({ path: FLUNDERS, body: flunder(''), requests: requests / 2, connections: 4, streams: 16 }),
    'list of 500': () => ({ path: `${FLUNDERS}?limit=500`, requests: short ? 40 : 200, connections: 1, streams: 1 }),
  };
  for (const [name, work] of Object.entries(works)) {
    // V8 optimizes the code of a request after some thousands of them.
    const [mine, theirs] = await inTurns(ours, peer, (side) => measure(side, work(side)), short ? 4 : 2);
    const cpu = (all: readonly Measured[]): number[] => all.map(({ cpuMicros }) => cpuMicros);
    judge({
      name: `${name} on an extension server: CPU each`,
      unit: 'µs',
      ours: cpu(mine),
      peer: cpu(theirs),
      better: 'less',
      atLeast: 5,
    });
  }
}

function sideOf(name: 'ours' | 'peer', started: Started | undefined): Side {
  if (started === undefined) throw new Error(`${name} did not start`);
  const { url, pids } = started;
  return { name, url, token: TOKEN_USERS.admin.token, pids, stop: async () => undefined };
}

async function warm(side: Side): Promise<void> {
  await send(side, 'DELETE', `${FLUNDERS}/target`);
  await ask(side, 'POST', FLUNDERS, JSON.parse(flunder('target')));
  await ask(side, 'GET', FLUNDERS);
}

function startOurs(kubeconfig: string): Promise<Started> {
  const entry = join(ROOT, 'bench', 'peer', 'extension', 'flunder-server.mjs');
  return startTimed(async (folder, port) => [
    startChild(
      process.execPath,
      [entry, String(port), join(folder, 'data'), kubeconfig],
      join(folder, 'log'),
      NODE_PLACE,
    ),
  ]);
}

async function startSample(kubeconfig: string): Promise<Started> {
  const urls = await freeEtcdUrls();
  return startTimed(async (folder, port) => {
    mkdirSync(join(folder, 'certs'));
    const sample = [
      `--etcd-servers=${urls.client}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(folder, 'certs')}`,
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (flag) => `--${flag}=${kubeconfig}`,
      ),
    ];
    return [
      spawnEtcd(urls, { folder, fsync: true }),
      startChild(program('sample-apiserver'), sample, join(folder, 'log')),
    ];
  });
}
