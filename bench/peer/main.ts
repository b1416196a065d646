/**
 * The table of `npm run bench:peer`: our server compared with kube-apiserver and etcd. Both do the same work in turns,
 * over TLS HTTP/2; etcd syncs as by default, ours is durable on LMDB. Exits with 1 if a bar does not hold. `--short`
 * runs fewer and smaller rounds, for CI. `--no-bars` prints figures without checking the bars. `--beside CLI` takes an
 * earlier build of Keelson (its dist/cli/main.js) as the peer, and checks that no line is worse by more than 5 %.
 * `--only <words>` runs the parts whose name contains one of the words: get, create, list, watch, lag, start, rest,
 * memory, bare, growth, crds, apply, kinds, gc, reconcile, informer, aggregator, dead, extension, admission-others,
 * admission-webhooks, admission-policies. `--controllers ''` turns the control loops of our server off, which
 * kube-apiserver does not have either. `--storage etcd` prints another table: our server on etcd (etcd.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKeelson } from '../../compat/peers/keelson.ts';
import { makeCredentials, type Peer, TOKEN_USERS } from '../../compat/peers/peer.ts';
import { requireTool } from '../../compat/peers/programs.ts';
import { startReference } from '../../compat/peers/reference.ts';
import { median } from '../measure.ts';
import { benchAdmission } from './admission/main.ts';
import { benchDeadServers } from './aggregator/dead-servers.ts';
import { benchAggregator } from './aggregator/main.ts';
import { benchApply } from './apply.ts';
import { startBare } from './bare.ts';
import { atRest, startOurs, startTheirs } from './cold-start.ts';
import { benchCollection } from './collection.ts';
import { benchCrds } from './crds/main.ts';
import { benchEtcd } from './etcd.ts';
import { eventLag, type LagFigures } from './event-lag.ts';
import { benchExtension } from './extension/main.ts';
import { printGrowth } from './growth.ts';
import { percentile } from './h2load.ts';
import { benchInformers } from './informer/main.ts';
import { benchKinds } from './kinds.ts';
import { benchMemory } from './memory.ts';
import { benchReconcile } from './reconcile/main.ts';
import { ask, type Side } from './side.ts';
import { type Bar, format, printBar } from './table.ts';
import { watch } from './watch.ts';
import {
  CREATE_ROUNDS,
  create,
  fill,
  get,
  list,
  type Measured,
  NAMESPACE,
  page,
  prepareRequests,
  warmCreates,
} from './work.ts';

const short = process.argv.includes('--short');
const only = argument('--only') ?? '';
const beside = argument('--beside');
const storage = argument('--storage') ?? 'lmdb';
/** null: those of a server by default. */
const controllers = argument('--controllers') ?? null;
const rounds = short ? 2 : 5;
/**
 * The amount of work in a round. Each server gets the amount that keeps it busy for about the same time, because a
 * short burst measures how a server wakes up.
 */
const size = short
  ? {
      get: [8000, 2000, 10_000],
      create: [3000, 600],
      objects: 3000,
      lists: [20, 3],
      pages: [100, 10],
      watchWrites: 20,
      lagWrites: 50,
    }
  : {
      get: [40_000, 8000, 60_000],
      create: [10_000, 2500],
      objects: 11_000,
      lists: [60, 5],
      pages: [800, 60],
      watchWrites: 60,
      lagWrites: 300,
    };
const ADMISSION = ['admission-others', 'admission-webhooks', 'admission-policies'];
let failures = 0;

/** Returns the value after a flag of the command line. */
function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

const startPeer = (): Promise<Peer> =>
  beside === undefined
    ? startReference({ credentials, fsync: true })
    : startKeelson({ credentials, storage: 'lmdb', controllers, cli: beside });

function wanted(name: string): boolean {
  return only.split(',').some((word) => name.includes(word));
}

/** The ratio that a line may have compared with an earlier build of our own. */
const NOISE = 0.95;

function judge(bar: Bar): void {
  if (!printBar(beside === undefined ? bar : { ...bar, atLeast: NOISE })) failures++;
}

function sideOf(peer: Peer): Side {
  const { name, url, pids } = peer;
  return { name, url, token: TOKEN_USERS.admin.token, pids, stop: () => peer.stop() };
}

/** Runs both sides in turns. The first rounds warm up and do not count. */
async function inTurns<T>(
  ours: Side,
  peer: Side,
  work: (side: Side) => Promise<T>,
  warmUp = 1,
  counted = rounds,
): Promise<[T[], T[]]> {
  const results: [T[], T[]] = [[], []];
  for (let round = -warmUp; round < counted; round++) {
    const first = round % 2 === 0;
    const pair = first ? [await work(ours), await work(peer)] : [await work(peer), await work(ours)];
    if (round < 0) continue;
    results[0].push((first ? pair[0] : pair[1]) as T);
    results[1].push((first ? pair[1] : pair[0]) as T);
  }
  return results;
}

/** Returns the size for a side. */
function share(side: Side, sizes: readonly number[]): number {
  return sizes[side.name === 'keelson' ? 0 : side.name === 'bare' ? 2 : 1] as number;
}

interface Bars {
  readonly perSecond?: number;
  readonly perCpu: number;
}

function judgeWork(name: string, [ours, peer]: [Measured[], Measured[]], bars: Bars): void {
  const of = (values: readonly Measured[], key: keyof Measured): number[] => values.map((value) => value[key]);
  if (bars.perSecond !== undefined)
    judge({
      name: `${name}: throughput`,
      unit: '/s',
      ours: of(ours, 'perSecond'),
      peer: of(peer, 'perSecond'),
      better: 'more',
      atLeast: bars.perSecond,
    });
  judge({
    name: `${name}: server CPU each`,
    unit: 'µs',
    ours: of(ours, 'cpuMicros'),
    peer: of(peer, 'cpuMicros'),
    better: 'less',
    atLeast: bars.perCpu,
  });
  const latency = (values: readonly Measured[]): string =>
    `p50 ${format(median(of(values, 'p50')))} ms, p99 ${format(median(of(values, 'p99')))} ms`;
  console.log(`    ours ${latency(ours)}; reference ${latency(peer)}`);
}

async function benchRequests(ours: Side, peer: Side): Promise<void> {
  if (wanted('get'))
    judgeWork('GET of 1 KB, 64 in flight', await inTurns(ours, peer, (side) => get(side, share(side, size.get))), {
      perSecond: 5,
      perCpu: 8,
    });
  if (wanted('create')) {
    if (!short) await warmCreates([ours, peer], 'filler');
    const work = (side: Side): Promise<Measured> => create(side, share(side, size.create), 'filler');
    const figures = await inTurns(ours, peer, work, 1, short ? rounds : CREATE_ROUNDS);
    judgeWork('create of 1 KB, 64 in flight', figures, { perSecond: 5, perCpu: 8 });
  }
  if (wanted('list')) {
    await Promise.all([fill(ours, size.objects), fill(peer, size.objects)]);
    const name = `list of ${size.objects.toLocaleString('en')}`;
    judgeWork(name, await inTurns(ours, peer, (side) => list(side, share(side, size.lists))), { perCpu: 20 });
    judgeWork('page of 500', await inTurns(ours, peer, (side) => page(side, share(side, size.pages))), { perCpu: 20 });
  }
  if (wanted('watch')) {
    for (const [connections, atLeast] of [
      [10, 2],
      [1000, 0.9],
    ] as const) {
      const [mine, theirs] = await inTurns(
        ours,
        peer,
        (side) => watch(side, connections, size.watchWrites, 'watched'),
        0,
      );
      judge({
        name: `event to 1,000 watchers on ${connections.toLocaleString('en')} connections: server CPU`,
        unit: 'µs',
        ours: mine.map((figures) => figures.cpuMicrosPerEvent),
        peer: theirs.map((figures) => figures.cpuMicrosPerEvent),
        better: 'less',
        atLeast,
      });
      const delivered = (all: readonly { delivered: number }[]): string =>
        all.map((one) => `${(one.delivered * 100).toFixed(1)} %`).join(' ');
      console.log(`    delivered: ours ${delivered(mine)}; reference ${delivered(theirs)}`);
    }
  }
}

/** The watch of a client compared with the answers to its own writes, on idle servers and beside a load of creates. */
async function benchLag(ours: Side, peer: Side): Promise<void> {
  for (const loaded of [false, true]) {
    for (const shared of [true, false]) {
      const options = (side: Side) => ({ writes: size.lagWrites, shared, load: loaded ? share(side, size.create) : 0 });
      const [mine, theirs] = await inTurns(ours, peer, (side) => eventLag(side, 'watched', options(side)));
      const texts = [mine, theirs].map((rounds) => {
        const of = (key: keyof LagFigures, fraction: number): string =>
          format(median(rounds.map((one) => percentile(one[key], fraction))));
        const later = median(rounds.map(({ lags }) => lags.filter((lag) => lag > 0).length / lags.length));
        return `p50 ${of('lags', 0.5)} ms, p99 ${of('lags', 0.99)} ms, ${(later * 100).toFixed(0)} % after the answer (of p50 ${of('answers', 0.5)} ms)`;
      });
      const where = `${loaded ? 'loaded' : 'idle'}, ${shared ? 'one connection' : 'two connections'}`;
      console.log(`event after the answer to its write, ${where}:\n    ours ${texts[0]}\n    reference ${texts[1]}`);
    }
  }
}

async function benchBare(ours: Side): Promise<void> {
  const body = await ask(ours, 'GET', `/api/v1/namespaces/${NAMESPACE}/configmaps/bench-target`);
  const bare = await startBare(credentials, body);
  try {
    const [mine, theirs] = await inTurns(ours, bare, (side) => get(side, share(side, size.get)));
    judge({
      name: 'GET beside a bare node:http2 server with the same bytes',
      unit: '/s',
      ours: mine.map((one) => one.perSecond),
      peer: theirs.map((one) => one.perSecond),
      better: 'more',
      atLeast: 0.5,
    });
  } finally {
    await bare.stop();
  }
}

const startOther = (): ReturnType<typeof startOurs> =>
  beside === undefined ? startTheirs(credentials) : startOurs(beside);

async function benchStart(): Promise<void> {
  const seconds: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const [i, start] of [() => startOurs(), startOther].entries()) {
      const started = await start();
      (seconds[i] as number[]).push(started.seconds);
      await started.stop();
    }
  }
  judge({
    name: 'cold start to /readyz, key generation included',
    unit: 's',
    ours: seconds[0],
    peer: seconds[1],
    better: 'less',
    atLeast: 6,
  });
}

async function benchRest(): Promise<void> {
  const started = [await startOurs(), await startOther()];
  try {
    const [mine, theirs] = await Promise.all(started.map(atRest));
    if (mine === undefined || theirs === undefined) throw new Error('two servers were started');
    const mega = (bytes: number): number => bytes / 1e6;
    const line = (name: string, unit: string, a: number, b: number, atLeast?: number): void =>
      judge({ name, unit, ours: [a], peer: [b], better: 'less', ...(atLeast === undefined ? {} : { atLeast }) });
    line('idle memory, all processes, resident', 'MB', mega(mine.resident), mega(theirs.resident), 3);
    line('idle memory, without mapped files', 'MB', mega(mine.anonymous), mega(theirs.anonymous));
    line('idle CPU, 20 s after the start, over 30 s', '% of core', mine.cpu * 100, theirs.cpu * 100, 8);
  } finally {
    await Promise.all(started.map((one) => one.stop()));
  }
}

/** The table of our server on LMDB. */
async function benchEmbedded(): Promise<void> {
  if (wanted('start')) await benchStart();
  if (wanted('rest') && !short) await benchRest();
  if (['get', 'create', 'list', 'watch', 'lag', 'bare', 'growth'].some(wanted)) {
    const ours = sideOf(await startKeelson({ credentials, storage: 'lmdb', controllers }));
    try {
      await prepareRequests(ours);
      if (wanted('bare') && beside === undefined) await benchBare(ours);
      if (['get', 'create', 'list', 'watch', 'lag'].some(wanted)) {
        const peer = sideOf(await startPeer());
        try {
          await prepareRequests(peer);
          await benchRequests(ours, peer);
          if (wanted('lag')) await benchLag(ours, peer);
        } finally {
          await peer.stop();
        }
      }
    } finally {
      await ours.stop();
    }
    if (wanted('growth') && beside === undefined && !(await printGrowth(credentials, short))) failures++;
  }
  const servers = {
    short,
    startOurs: async () => sideOf(await startKeelson({ credentials, storage: 'lmdb', controllers })),
    startReference: async () => sideOf(await startPeer()),
    inTurns,
    judge,
    judgeWork,
  };
  if (wanted('memory') && !short) await benchMemory(servers);
  if (wanted('crds') && !(await benchCrds(servers))) failures++;
  if (wanted('apply')) await benchApply(servers);
  if (wanted('kinds') && !(await benchKinds(servers))) failures++;
  if (wanted('gc') && beside === undefined)
    await benchCollection({ ...servers, startReference: () => startReference({ credentials, fsync: true }), sideOf });
  if (wanted('reconcile') && beside === undefined) await benchReconcile(servers);
  if (
    wanted('aggregator') &&
    beside === undefined &&
    !(await benchAggregator({ short, credentials, folder, sideOf, inTurns, judge }))
  )
    failures++;
  if (wanted('dead') && beside === undefined)
    await benchDeadServers({ short, credentials, folder, sideOf, inTurns, judge });
  if (wanted('extension') && beside === undefined) await benchExtension({ short, credentials, inTurns, judge });
  if (ADMISSION.some(wanted) && beside === undefined)
    await benchAdmission({ short, credentials, wanted, sideOf, inTurns, judge });
  if (wanted('informer') && beside === undefined && !(await benchInformers(servers))) failures++;
}

if (storage !== 'lmdb' && storage !== 'etcd') throw new Error(`--storage is lmdb or etcd, not ${storage}`);
requireTool('h2load', ['--version'], 'h2load is missing: install the Debian package nghttp2-client');
const folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));
const credentials = await makeCredentials(folder);
const load = loadavg().map((value) => value.toFixed(2));
console.log(
  `${cpus().length} cores (${cpus()[0]?.model.trim() || process.arch}), Node ${process.version}, load average ${load.join(' ')}`,
);
console.log(
  `reference: kube-apiserver 1.36.3 and etcd 3.6 with fsync; ours: ${storage === 'etcd' ? 'the same etcd' : 'LMDB, durable'}; h2load over TLS; medians of ${rounds} rounds in turns${short ? ' (short form)' : ''}\n`,
);
try {
  if (storage === 'etcd') await benchEtcd({ short, credentials, beside, wanted, sideOf, inTurns, judge, judgeWork });
  else await benchEmbedded();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? '\nall bars hold' : `\n${failures} bars do not hold`);
process.exit(failures === 0 || process.argv.includes('--no-bars') ? 0 : 1);
