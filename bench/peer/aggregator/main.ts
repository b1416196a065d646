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
import { addedLatency, frontProxyHeaders } from './added-latency.ts';
import { GROUP, startStreamServer, stream } from './large-body.ts';
import { proxiedWatches, type WatchFigures } from './proxied-watch.ts';
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
/** Smaller differences between two measurements of an event to all watches are noise. */
const LEAST_ADDED_MS = 1;
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
  const { certificatePem, keyPem } = bench.credentials.clients['front-proxy'];
  const { uid, groups } = TOKEN_USERS.admin;
  const frontProxy = {
    url: direct.url,
    headers: frontProxyHeaders('admin', uid, groups),
    certificate: { cert: certificatePem, key: keyPem },
  };
  const get = { path: `${FLUNDERS}/target` };
  const create = { path: FLUNDERS, body: flunder('') };
  for (const [name, work] of [
    ['GET', get],
    ['create', create],
  ] as const) {
    const busy = (side: Side): Promise<Measured> => measure(side, { ...work, requests, connections: 4, streams: 16 });
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
    const json = 'application/json';
    const headers = { accept: json, authorization: `Bearer ${ours.token}`, 'content-type': json };
    const { added, direct: behind } = await addedLatency(
      frontProxy,
      [ours, peer].map(({ url }) => ({ url, headers })),
      { work, rounds: bench.short ? 2 : 5, blocks: bench.short ? 15 : 30 },
    );
    bench.judge({
      name: `${name} through the aggregator, one at a time: added latency`,
      unit: 'ms',
      ours: added[0]!.map(atLeastOneMicro),
      peer: added[1]!.map(atLeastOneMicro),
      better: 'less',
      atLeast: 2,
    });
    console.log(`    without an aggregator ${format(behind)} ms`);
  }
}

/** A difference of noisy figures may be negative. */
function atLeastOneMicro(ms: number): number {
  return Math.max(0.001, ms);
}

/**
 * The server behind writes the event to 1,000 watches itself, which takes most of the time until the last has it. So
 * the bar is on the time that the aggregator adds.
 */
async function benchWatch(bench: AggregatorBench, { ours, peer, direct }: Sides): Promise<void> {
  const sides = [direct, ours, peer].map((side) => ({ side, namespace: `watched-${side.name}` }));
  // The server behind asks its parent for the namespaces of new objects.
  for (const { namespace } of sides) await ask(peer, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const options = { rounds: bench.short ? 2 : 5, events: 20, writer: direct };
  const [without, mine, theirs] = (await proxiedWatches(sides, options)) as [WatchFigures, WatchFigures, WatchFigures];
  const line = (name: string, of: (figures: WatchFigures) => readonly number[], unit: string, atLeast?: number): void =>
    bench.judge({
      name: `event to 1,000 proxied watches: ${name}`,
      unit,
      ours: of(mine),
      peer: of(theirs),
      better: 'less',
      ...(atLeast !== undefined && { atLeast }),
    });
  line('its CPU each', ({ cpuMicros }) => cpuMicros, 'µs', 2);
  const added = ({ addedMs }: WatchFigures): number[] => addedMs.map((ms) => Math.max(LEAST_ADDED_MS, ms));
  line('added until the last has it', added, 'ms', 2);
  line('until the last has it', ({ lastMs }) => lastMs, 'ms');
  console.log(`    without an aggregator ${format(median(without.lastMs))} ms`);
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
