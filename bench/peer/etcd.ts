/**
 * `bench:peer -- --storage etcd`: our server on etcd beside kube-apiserver, each with an etcd of the same program that
 * syncs as by default, and beside our server on LMDB. Only the process of the API server is measured, never etcd.
 * Parts of `--only`: cached, get, create, conflicts, start.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Etcd, startEtcd } from '../../compat/peers/etcd.ts';
import { startKeelson } from '../../compat/peers/keelson.ts';
import { type Credentials, commonFlags, type Peer, TOKEN_USERS } from '../../compat/peers/peer.ts';
import { startChild } from '../../compat/peers/process.ts';
import { keelsonCli, program } from '../../compat/peers/programs.ts';
import { startReference } from '../../compat/peers/reference.ts';
import { startTimed } from './cold-start.ts';
import { updateWithConflicts } from './conflicts.ts';
import { onPairs, PAIRS, pooled, type StartSide } from './pairs.ts';
import { cpuSeconds, memoryOf } from './process-figures.ts';
import { ask, type Side } from './side.ts';
import type { Bar } from './table.ts';
import { watch } from './watch.ts';
import {
  CREATE_ROUNDS,
  create,
  fill,
  get,
  list,
  type Measured,
  NAMESPACE,
  prepareRequests,
  warmCreates,
} from './work.ts';

export interface EtcdBenchOptions {
  readonly short: boolean;
  readonly credentials: Credentials;
  /** The command of an earlier build, which then takes the place of kube-apiserver. */
  readonly beside: string | undefined;
  wanted(name: string): boolean;
  sideOf(peer: Peer): Side;
  inTurns<T>(
    ours: Side,
    peer: Side,
    work: (side: Side) => Promise<T>,
    warmUp?: number,
    counted?: number,
  ): Promise<[T[], T[]]>;
  judge(bar: Bar): void;
  judgeWork(
    name: string,
    figures: [Measured[], Measured[]],
    bars: { readonly perSecond?: number; readonly perCpu: number },
  ): void;
}

/** The CPU that reads from the cache may take compared with LMDB: 1.1 times as much. */
const SAME = 1 / 1.1;
/** The rounds of GETs that do not count. V8 optimizes the path of a GET after some ten thousand of them. */
const warmUpOf = (short: boolean): number => (short ? 4 : 1);
/** Time for both servers to finish the work of the start, and to collect garbage once, before memory is read. */
const SETTLING_MS = 12_000;

export async function benchEtcd(options: EtcdBenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-etcd-'));
  try {
    if (['cached', 'get', 'create', 'conflicts'].some(options.wanted)) await benchServers(options, folder);
    if (options.wanted('start')) await benchFullStart(options, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchServers(options: EtcdBenchOptions, folder: string): Promise<void> {
  const { credentials, beside, wanted } = options;
  const startOnEtcd = (): Promise<Side> => startSide(options, () => startWithEtcd(options, folder));
  if (wanted('cached')) {
    const startOnLmdb = (): Promise<Side> => startSide(options, () => startKeelson({ credentials, storage: 'lmdb' }));
    await benchCached(options, [startOnEtcd, startOnLmdb]);
  }
  if (!['get', 'create', 'conflicts'].some(wanted)) return;
  const startPeer = (): Promise<Side> =>
    startSide(options, () =>
      beside === undefined ? startReference({ credentials, fsync: true }) : startWithEtcd(options, folder, beside),
    );
  await onPairs(1, [startOnEtcd, startPeer], (ours, peer) => benchBesideReference(options, ours, peer));
}

/** Starts a build of our server, with an etcd of its own. */
async function startWithEtcd({ credentials }: EtcdBenchOptions, folder: string, cli = keelsonCli()): Promise<Peer> {
  const etcd = await startEtcd({ folder: mkdtempSync(join(folder, 'etcd-')), fsync: true });
  try {
    const flags = [`--etcd-servers=${etcd.url}`];
    const peer = await startKeelson({ credentials, storage: 'etcd', cli, flags });
    return {
      ...peer,
      stop: async () => {
        await peer.stop();
        await etcd.stop();
      },
    };
  } catch (error) {
    await etcd.stop();
    throw error;
  }
}

/** Starts a server with its namespaces. Its side has the process of the API server only, which is the last one. */
async function startSide({ sideOf }: EtcdBenchOptions, start: () => Promise<Peer>): Promise<Side> {
  const peer = await start();
  const side = { ...sideOf(peer), pids: peer.pids.slice(-1) };
  await prepareRequests(side);
  return side;
}

async function benchCached(options: EtcdBenchOptions, starts: readonly [StartSide, StartSide]): Promise<void> {
  const { short, inTurns, judge, judgeWork } = options;
  const size = short
    ? { get: 8000, objects: 3000, lists: 20, writes: 100 }
    : { get: 40_000, objects: 11_000, lists: 60, writes: 300 };
  const query = 'resourceVersion=0';
  const pairs = await onPairs(short ? 1 : PAIRS, starts, async (ours, lmdb) => {
    const gets = await inTurns(ours, lmdb, (side) => get(side, size.get, query), warmUpOf(short));
    await Promise.all([fill(ours, size.objects), fill(lmdb, size.objects)]);
    const lists = await inTurns(ours, lmdb, (side) => list(side, size.lists, { query }));
    const events = await inTurns(ours, lmdb, (side) => watch(side, 10, size.writes, 'watched'), 0);
    return { gets, lists, events };
  });
  const bars = { perCpu: SAME };
  judgeWork('GET with resourceVersion=0 beside LMDB', pooled(pairs.map(({ gets }) => gets)), bars);
  judgeWork(
    `list of ${size.objects.toLocaleString('en')} with resourceVersion=0 beside LMDB`,
    pooled(pairs.map(({ lists }) => lists)),
    bars,
  );
  const [mine, theirs] = pooled(pairs.map(({ events }) => events));
  judge({
    name: 'event to 1,000 watchers on 10 connections beside LMDB: CPU',
    unit: 'µs',
    ours: mine.map((figures) => figures.cpuMicrosPerEvent),
    peer: theirs.map((figures) => figures.cpuMicrosPerEvent),
    better: 'less',
    atLeast: SAME,
  });
}

async function benchBesideReference(options: EtcdBenchOptions, ours: Side, peer: Side): Promise<void> {
  const { short, wanted, inTurns, judge, judgeWork } = options;
  const amount = (side: Side, mine: number, theirs: number): number =>
    Math.ceil((side.name === 'keelson' ? mine : theirs) / (short ? 4 : 1));
  if (wanted('get'))
    judgeWork(
      'GET of 1 KB, 64 in flight',
      await inTurns(ours, peer, (side) => get(side, amount(side, 40_000, 8000)), warmUpOf(short)),
      { perSecond: 5, perCpu: 8 },
    );
  if (wanted('create')) {
    if (!short) await warmCreates([ours, peer], 'filler');
    const work = (side: Side): Promise<Measured> => create(side, amount(side, 5000, 2500), 'filler');
    const figures = await inTurns(ours, peer, work, 1, short ? undefined : CREATE_ROUNDS);
    judgeWork('create of 1 KB, 64 in flight', figures, { perSecond: 1.2, perCpu: 6 });
  }
  if (!wanted('conflicts')) return;
  const [mine, theirs] = await inTurns(ours, peer, (side) =>
    updateWithConflicts(side, 'filler', amount(side, 1600, 1600)),
  );
  judge({
    name: 'update with conflicts, 64 writers on 8 objects: successful',
    unit: '/s',
    ours: mine.map((figures) => figures.perSecond),
    peer: theirs.map((figures) => figures.perSecond),
    better: 'more',
    atLeast: 1.2,
  });
  judge({
    name: 'update with conflicts: server CPU per successful update',
    unit: 'µs',
    ours: mine.map((figures) => figures.cpuMicros),
    peer: theirs.map((figures) => figures.cpuMicros),
    better: 'less',
  });
  const share = (all: readonly { conflicts: number }[]): string =>
    all.map((one) => `${(one.conflicts * 100).toFixed(0)} %`).join(' ');
  console.log(`    refused with 409: ours ${share(mine)}; reference ${share(theirs)}`);
}

interface StartFigures {
  /** From exec until /readyz answers 200. */
  readonly ready: number;
  /** From exec until the first object of the list was answered. kube-apiserver has read them all when it is ready. */
  readonly listed: number;
  readonly resident: number;
  readonly cpu: number;
}

/** Both servers start in turns on one etcd, in which our server has created the objects. */
async function benchFullStart(
  { short, credentials, beside, judge, ...options }: EtcdBenchOptions,
  folder: string,
): Promise<void> {
  const objects = short ? 10_000 : 100_000;
  const etcd = await startEtcd({ folder: join(folder, 'full'), fsync: true });
  try {
    const flags = [`--etcd-servers=${etcd.url}`];
    const filler = await startSide({ short, credentials, beside, judge, ...options }, () =>
      startKeelson({ credentials, storage: 'etcd', flags }),
    );
    await fill(filler, objects);
    await filler.stop();
    const results: [StartFigures[], StartFigures[]] = [[], []];
    for (let round = 0; round < (short ? 1 : 3); round++)
      for (const [i, start] of [
        startOurs(keelsonCli()),
        beside === undefined ? startTheirs : startOurs(beside),
      ].entries())
        (results[i] as StartFigures[]).push(await start(credentials, etcd));
    const line = (name: string, unit: string, key: keyof StartFigures, atLeast?: number): void =>
      judge({
        name: `start with ${objects.toLocaleString('en')} objects in etcd: ${name}`,
        unit,
        ours: results[0].map((figures) => figures[key]),
        peer: results[1].map((figures) => figures[key]),
        better: 'less',
        ...(atLeast !== undefined && { atLeast }),
      });
    line('ready', 's', 'ready', 3);
    line('first list', 's', 'listed', 3);
    line('CPU', 's', 'cpu');
    line('memory', 'MB', 'resident', 3);
  } finally {
    await etcd.stop();
  }
}

/** Returns the start of a build of our server. */
function startOurs(cli: string): (credentials: Credentials, etcd: Etcd) => Promise<StartFigures> {
  return (credentials, { url }) =>
    startOnEtcd((folder, port) => [
      process.execPath,
      cli,
      `--data-dir=${join(folder, 'data')}`,
      '--storage=etcd',
      `--etcd-servers=${url}`,
      '--controllers=',
      '--advertise-address=127.0.0.1',
      ...commonFlags(credentials, port, join(folder, 'certs')),
    ]);
}

function startTheirs(credentials: Credentials, { url }: Etcd): Promise<StartFigures> {
  return startOnEtcd((folder, port) => [
    program('kube-apiserver'),
    `--etcd-servers=${url}`,
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    ...commonFlags(credentials, port, join(folder, 'certs')),
  ]);
}

async function startOnEtcd(
  command: (folder: string, port: number) => readonly [string, ...string[]],
): Promise<StartFigures> {
  const began = performance.now();
  const started = await startTimed(async (folder, port) => {
    mkdirSync(join(folder, 'certs'));
    const [executable, ...args] = command(folder, port);
    return [startChild(executable, args, join(folder, 'log'))];
  });
  try {
    const side: Side = { ...started, name: 'started', token: TOKEN_USERS.admin.token };
    await ask(side, 'GET', `/api/v1/namespaces/${NAMESPACE}/configmaps?limit=1&resourceVersion=0`);
    const listed = (performance.now() - began) / 1000;
    await sleep(SETTLING_MS);
    return {
      ready: started.seconds,
      listed,
      cpu: cpuSeconds(started.pids),
      resident: memoryOf(started.pids).resident / 1e6,
    };
  } finally {
    await started.stop();
  }
}
