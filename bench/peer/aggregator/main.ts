/**
 * The aggregator in front of the same servers, ours beside the reference: the CPU and the latency that it adds to a GET
 * and to a create, one event to 1,000 watches, and the memory for a body of 1 GB.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeServingCertificates } from '../../../compat/aggregation/backend.ts';
import { startKeelson } from '../../../compat/peers/keelson.ts';
import { type Credentials, type Peer, TOKEN_USERS } from '../../../compat/peers/peer.ts';
import { startReference } from '../../../compat/peers/reference.ts';
import { median } from '../../measure.ts';
import { ask, type Side } from '../side.ts';
import { type Bar, format } from '../table.ts';
import { type Measured, measure } from '../work.ts';
import { GROUP, startStreamServer, stream } from './large-body.ts';
import { proxiedWatch } from './proxied-watch.ts';
import { FLUNDERS, NAMESPACE, register, startSample } from './sample.ts';

export interface AggregatorBench {
  readonly short: boolean;
  readonly credentials: Credentials;
  readonly folder: string;
  sideOf(peer: Peer): Side;
  inTurns<T>(ours: Side, peer: Side, work: (side: Side) => Promise<T>, warmUp?: number): Promise<[T[], T[]]>;
  judge(bar: Bar): void;
}

const MEGA = 1e6;
/** The growth of memory that a streamed body may cause, in MB. */
const MAX_GROWTH = 16;

/** Returns false if the memory grows too much. */
export async function benchAggregator(bench: AggregatorBench): Promise<boolean> {
  const { credentials, folder, sideOf } = bench;
  const flags = proxyFlags(credentials, folder);
  const reference = await startReference({ credentials, fsync: true, flags });
  const keelson = await startKeelson({ credentials, storage: 'lmdb', flags });
  const certificates = await makeServingCertificates(join(folder, 'serving'));
  const sample = await startSample(join(folder, 'sample'), certificates, reference);
  const streamServer = await startStreamServer(await certificates.issue('stream', NAMESPACE));
  try {
    const [ours, peer] = [sideOf(keelson), sideOf(reference)];
    const { caBundle } = certificates;
    for (const side of [ours, peer]) {
      const { port } = sample;
      await register(side, { group: 'wardle.example.com', version: 'v1alpha1', service: 'api', port, caBundle });
      await register(side, { group: GROUP, version: 'v1', service: 'stream', port: streamServer.port, caBundle });
    }
    const direct: Side = {
      name: 'direct',
      url: sample.url,
      token: TOKEN_USERS.admin.token,
      pids: [],
      stop: async () => {},
    };
    await ask(direct, 'POST', FLUNDERS, JSON.parse(flunder('target')));
    await benchAdded(bench, { ours, peer, direct });
    await benchWatch(bench, { ours, peer, direct });
    return await benchStream(bench, ours, peer);
  } finally {
    streamServer.stop();
    await sample.stop();
    await keelson.stop();
    await reference.stop();
  }
}

interface Sides {
  readonly ours: Side;
  readonly peer: Side;
  /** The server behind both. */
  readonly direct: Side;
}

async function benchAdded(bench: AggregatorBench, { ours, peer, direct }: Sides): Promise<void> {
  const requests = bench.short ? 4000 : 8000;
  const get = { path: `${FLUNDERS}/target` };
  const create = { path: FLUNDERS, body: flunder('') };
  for (const [name, work] of [
    ['GET', get],
    ['create', create],
  ] as const) {
    const busy = (side: Side): Promise<Measured> => measure(side, { ...work, requests, connections: 4, streams: 16 });
    const alone = (side: Side): Promise<Measured> =>
      measure(side, { ...work, requests: requests / 8, connections: 1, streams: 1 });
    // The code of a proxied request is optimized after some thousands of them.
    const loaded = await bench.inTurns(ours, peer, busy, 3);
    bench.judge({
      name: `${name} through the aggregator, 64 in flight: its CPU each`,
      unit: 'µs',
      ours: loaded[0].map((one) => one.cpuMicros),
      peer: loaded[1].map((one) => one.cpuMicros),
      better: 'less',
      atLeast: 2,
    });
    const directs: Measured[] = [];
    // Requests without the aggregator right before and right after: the load of the machine changes meanwhile.
    const single = await bench.inTurns(ours, peer, async (side) => {
      const before = await alone(direct);
      const through = await alone(side);
      const after = await alone(direct);
      directs.push(before, after);
      return through.p50 - (before.p50 + after.p50) / 2;
    });
    const added = (all: readonly number[]): number[] => all.map((one) => Math.max(0.001, one));
    bench.judge({
      name: `${name} through the aggregator, one at a time: added latency, p50`,
      unit: 'ms',
      ours: added(single[0]),
      peer: added(single[1]),
      better: 'less',
      atLeast: 2,
    });
    const middle = (key: 'p50' | 'p99'): string => format(median(directs.map((one) => one[key])));
    console.log(`    direct p50 ${middle('p50')} ms, p99 ${middle('p99')} ms`);
  }
}

async function benchWatch(bench: AggregatorBench, { ours, peer, direct }: Sides): Promise<void> {
  const writes = bench.short ? 5 : 20;
  const [mine, theirs] = await bench.inTurns(ours, peer, (side) => proxiedWatch(side, direct, writes));
  const line = (name: string, of: (one: (typeof mine)[number]) => number, unit: string, atLeast?: number): void =>
    bench.judge({
      name,
      unit,
      ours: mine.map(of),
      peer: theirs.map(of),
      better: 'less',
      ...(atLeast !== undefined && { atLeast }),
    });
  line('event to 1,000 proxied watches: its CPU each', ({ cpuMicros }) => cpuMicros, 'µs', 2);
  line('event to 1,000 proxied watches: until the last has it', ({ lastMs }) => median(lastMs), 'ms');
  const { lastMs } = await proxiedWatch(direct, direct, writes);
  console.log(`    without an aggregator ${format(median(lastMs))} ms`);
}

async function benchStream(bench: AggregatorBench, ours: Side, peer: Side): Promise<boolean> {
  const bytes = bench.short ? 200 * MEGA : 1000 * MEGA;
  let holds = true;
  for (const direction of ['down', 'up'] as const) {
    for (const side of [ours, peer]) {
      await stream(side, direction, bytes / 5);
      const { growth, megabytesPerSecond } = await stream(side, direction, bytes);
      const isOurs = side === ours;
      if (isOurs && growth > MAX_GROWTH * MEGA) holds = false;
      const verdict = !isOurs ? '' : growth > MAX_GROWTH * MEGA ? '   FAIL' : '   pass';
      console.log(
        `${bytes / MEGA} MB streamed ${direction} through ${side.name}: memory grows by ${format(growth / MEGA)} MB, ` +
          `${format(megabytesPerSecond)} MB/s${isOurs ? `   at most ${MAX_GROWTH} MB${verdict}` : ''}`,
      );
    }
  }
  return holds;
}

function flunder(name: string): string {
  return JSON.stringify({
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: { ...(name === '' ? { generateName: 'bench-' } : { name }), labels: { app: 'bench', tier: 'backend' } },
    spec: { reference: 'bench', referenceType: 'Flunder' },
  });
}

/** Both servers present the same front-proxy certificate, which the servers behind them trust. */
function proxyFlags({ clients }: Credentials, folder: string): readonly string[] {
  const { certificatePem, keyPem } = clients['front-proxy'];
  const [certFile, keyFile] = [join(folder, 'front-proxy.crt'), join(folder, 'front-proxy.key')];
  writeFileSync(certFile, certificatePem);
  writeFileSync(keyFile, keyPem, { mode: 0o600 });
  return [`--proxy-client-cert-file=${certFile}`, `--proxy-client-key-file=${keyFile}`];
}
