/**
 * The listener compared with a bare node:http2 TLS server that sends the same bytes. Each is a process of its own, and
 * node:http2 clients of this process drive them in turns: GET of 1 KB with 64 in flight, and one shared chunk of 1 KB
 * to 1,000 streams on 10 connections. The bar is on work per second of the server's CPU: on few cores, throughput would
 * measure the clients.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { systemClock } from '../../src/base/clock.ts';
import { createCa, issueServerCertificate } from '../../src/pki/certificates.ts';
import { type BenchLine, median } from '../measure.ts';
import { dial, drive, openWatches } from './driver.ts';
import type { ServerMessage, ServerStart } from './server.ts';

const IN_FLIGHT = 64;
const CONNECTIONS = 4;
const SIZE = 1024;
const WATCHERS = 1000;
const WATCH_CONNECTIONS = 10;
const EVENTS = 20;

interface Side {
  readonly child: ChildProcess;
  readonly port: number;
  cpu(): Promise<{ cpu: number; streams: number }>;
  close(): Promise<void>;
}

async function startSide(entry: string, start: ServerStart): Promise<Side> {
  const child = fork(entry, { execArgv: [] });
  const answer = async (): Promise<ServerMessage> => ((await once(child, 'message')) as [ServerMessage])[0];
  child.send(start);
  const first = await answer();
  if (!('port' in first)) throw new Error('the server did not say its port');
  return {
    child,
    port: first.port,
    async cpu() {
      child.send('cpu');
      const message = await answer();
      if (!('cpu' in message)) throw new Error('the server did not say its CPU time');
      return message;
    },
    async close() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** Work per second of the server's CPU, and per second of wall time. */
interface Rates {
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

async function rates(side: Side, amount: number, work: () => Promise<void>): Promise<Rates> {
  const [before, begin] = [await side.cpu(), performance.now()];
  await work();
  const [seconds, after] = [(performance.now() - begin) / 1000, await side.cpu()];
  return { perCpuSecond: (amount * 1e6) / (after.cpu - before.cpu), perSecond: amount / seconds };
}

/** Runs both sides in turns. Two rounds warm up and do not count. */
async function inTurns(
  rounds: number,
  ours: () => Promise<Rates>,
  bare: () => Promise<Rates>,
): Promise<[Rates, Rates][]> {
  const pairs: [Rates, Rates][] = [];
  for (let round = -2; round < rounds; round++) {
    let pair: [Rates, Rates];
    if (round % 2 === 0) pair = [await ours(), await bare()];
    else {
      const second = await bare();
      pair = [await ours(), second];
    }
    if (round >= 0) pairs.push(pair);
  }
  return pairs;
}

function line(name: string, unit: string, pairs: readonly [Rates, Rates][], of: keyof Rates): BenchLine {
  return {
    name,
    unit,
    ours: median(pairs.map(([ours]) => ours[of])),
    peer: median(pairs.map(([, bare]) => bare[of])),
    ratio: median(pairs.map(([ours, bare]) => ours[of] / bare[of])),
    atLeast: 0.8,
  };
}

/** Returns three lines: GET per CPU second, GET per second, and events to watchers per CPU second. */
export async function benchHttpGet(options: { rounds: number; ms: number }): Promise<BenchLine[]> {
  const ca = await createCa({ clock: systemClock, commonName: 'bench' });
  const { keyPem, certificatePem } = await issueServerCertificate(ca, { clock: systemClock });
  const here = dirname(fileURLToPath(import.meta.url));
  // This file runs as a bundle in .cache/run/bench. The server is another bundle in that folder.
  const entry = join(here, 'http-server.mjs');
  await build({
    entryPoints: ['bench/http/server.ts'],
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const side = (which: ServerStart['side']): Promise<Side> =>
    startSide(entry, { side: which, key: keyPem, cert: certificatePem });
  const [ours, bare] = [await side('ours'), await side('bare')];
  try {
    const gets = await benchGets(ours, bare, ca.certificatePem, options);
    const name = 'GET of 1 KB over TLS HTTP/2, 64 in flight: the listener / a bare node:http2 server';
    return [
      line(`${name}, per second of the server's CPU`, 'requests/s', gets, 'perCpuSecond'),
      line(`${name}, as this client can drive them`, 'requests/s', gets, 'perSecond'),
      line(
        'one shared chunk of 1 KB to 1,000 streams on 10 connections: the listener / a bare node:http2 server, per CPU second',
        'writes/s',
        await benchEvents(ours, bare, ca.certificatePem, options),
        'perCpuSecond',
      ),
    ];
  } finally {
    await Promise.all([ours.close(), bare.close()]);
  }
}

async function benchGets(
  ours: Side,
  bare: Side,
  ca: string,
  options: { rounds: number; ms: number },
): Promise<[Rates, Rates][]> {
  // About `ms` of the server's CPU per round.
  const total = options.ms * 15;
  const sessions = { ours: await dial(ours.port, ca, CONNECTIONS), bare: await dial(bare.port, ca, CONNECTIONS) };
  const work = { inFlight: IN_FLIGHT, total, size: SIZE };
  const pairs = await inTurns(
    options.rounds,
    () => rates(ours, total, () => drive(sessions.ours, work)),
    () => rates(bare, total, () => drive(sessions.bare, work)),
  );
  for (const session of [...sessions.ours, ...sessions.bare]) session.destroy();
  return pairs;
}

async function benchEvents(ours: Side, bare: Side, ca: string, options: { rounds: number }): Promise<[Rates, Rates][]> {
  const run = async (side: Side): Promise<{ work: () => Promise<Rates>; close(): void }> => {
    const sessions = await dial(side.port, ca, WATCH_CONNECTIONS);
    const watches = await openWatches(sessions, WATCHERS);
    const { streams } = await side.cpu();
    if (streams !== WATCHERS) throw new Error(`the server has ${streams} streams`);
    return {
      work: () =>
        rates(side, EVENTS * WATCHERS, async () => {
          for (let i = 0; i < EVENTS; i++) {
            const all = watches.until(watches.received() + WATCHERS * SIZE);
            side.child.send('event');
            await all;
          }
        }),
      close: () => {
        for (const session of sessions) session.destroy();
      },
    };
  };
  const sides = [await run(ours), await run(bare)] as const;
  const pairs = await inTurns(options.rounds, sides[0].work, sides[1].work);
  for (const side of sides) side.close();
  return pairs;
}
