/**
 * Changes through an informer and a work queue to a reconcile that does nothing, beside the same with client-go. Both
 * read the same bytes from the same source, as JSON over plain HTTP/1.1, with one worker.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { keelsonCli, ROOT, requireTool } from '../../../compat/peers/programs.ts';
import type { PeerBenchOptions } from '../crds/main.ts';
import { startEventSource } from './event-source.ts';

const FOLDER = join(ROOT, 'bench', 'peer', 'reconcile');
const DIST = dirname(dirname(keelsonCli()));
const OBJECTS = 1000;
/** The share of client-go's rate. */
const BAR = 0.7;

interface Figures {
  readonly milliseconds: number;
  /** User and system time of the client in milliseconds, with all threads. */
  readonly cpu: number;
  readonly events: number;
  readonly reconciles: number;
}

export async function benchReconcile({ short, judge }: Pick<PeerBenchOptions, 'short' | 'judge'>): Promise<void> {
  const events = short ? 20_000 : 100_000;
  const binary = buildClientGo();
  const ours = (): Promise<Figures> =>
    run(events, (server) => [process.execPath, [join(FOLDER, 'client.mjs'), DIST, server, `${events}`]]);
  const theirs = (): Promise<Figures> => run(events, (server) => [binary, [server, `${events}`]]);
  const rounds: [Figures[], Figures[]] = [[], []];
  for (let round = -1; round < (short ? 2 : 5); round++) {
    const pair = round % 2 === 0 ? [await ours(), await theirs()] : [await theirs(), await ours()].reverse();
    if (round >= 0) for (const [i, figures] of pair.entries()) rounds[i as 0 | 1].push(figures);
  }
  const name = `${events.toLocaleString('en')} changes to a reconcile beside client-go`;
  const perSecond = (figures: Figures): number => (figures.events / figures.milliseconds) * 1000;
  judge({
    name: `${name}: rate`,
    unit: '/s',
    ours: rounds[0].map(perSecond),
    peer: rounds[1].map(perSecond),
    better: 'more',
    atLeast: BAR,
  });
  const perEvent = (figures: Figures): number => (figures.cpu / figures.events) * 1000;
  judge({
    name: `${name}: client CPU each`,
    unit: 'µs',
    ours: rounds[0].map(perEvent),
    peer: rounds[1].map(perEvent),
    better: 'less',
  });
  const reconciles = (figures: readonly Figures[]): string => figures.map((each) => each.reconciles).join(', ');
  console.log(`    reconciles of ours ${reconciles(rounds[0])}; of client-go ${reconciles(rounds[1])}`);
}

async function run(
  events: number,
  command: (server: string) => readonly [string, readonly string[]],
): Promise<Figures> {
  const source = await startEventSource(OBJECTS, events);
  try {
    const [file, args] = command(source.url);
    const { stdout } = await promisify(execFile)(file, [...args]);
    const figures = JSON.parse(stdout) as Figures;
    if (figures.events !== events) throw new Error(`${file} has seen ${figures.events} of ${events} changes`);
    return figures;
  } finally {
    await source.close();
  }
}

function buildClientGo(): string {
  requireTool('go', ['version'], 'the work queue of client-go needs Go 1.26 on the PATH');
  const cache = join(ROOT, '.cache', 'clients');
  mkdirSync(cache, { recursive: true });
  const binary = join(cache, 'reconcile');
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: join(FOLDER, 'client-go'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  return binary;
}
