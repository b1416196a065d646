/**
 * Informers of our client compared with those of client-go, both on our server: the time until 10,000 objects are in
 * the cache, and the memory of the client. Then 50 idle informers over the in-process transport.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { keelsonCli, ROOT, requireTool } from '../../../compat/peers/programs.ts';
import type { PeerBenchOptions } from '../crds/main.ts';
import type { Side } from '../side.ts';
import { fill, NAMESPACE, prepare } from '../work.ts';

const FOLDER = join(ROOT, 'bench', 'peer', 'informer');
const DIST = dirname(dirname(keelsonCli()));
/** The time of client-go at most, and its memory one and a half times. */
const BARS = { time: 1, memory: 1 / 1.5 };
/** client-go reads custom resources as JSON, and built-in kinds as protobuf by default. Ours reads JSON. */
const FORMATS: readonly (readonly [string, string])[] = [
  ['JSON', 'application/json'],
  ['protobuf', 'application/vnd.kubernetes.protobuf'],
];
/** The bounds of 50 idle informers: the share of one core beyond that of none, and the bytes. */
const IDLE = { cpu: 0.005, bytes: 10e6 };

interface SyncFigures {
  readonly milliseconds: number;
  /** User and system time in milliseconds, with all threads, from the start of the informer to its sync. */
  readonly cpu: number;
  readonly objects: number;
  readonly resident: number;
}

/** Returns false if idle informers exceed their limits. */
export async function benchInformers(options: PeerBenchOptions): Promise<boolean> {
  const { short, judge } = options;
  const objects = short ? 3000 : 10_000;
  const binary = buildClientGo();
  const folder = mkdtempSync(join(tmpdir(), 'keelson-informer-'));
  const server = await options.startOurs();
  try {
    await prepare(server);
    await fill(server, objects);
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(server), { mode: 0o600 });
    const ours = (): SyncFigures =>
      sync(process.execPath, [join(FOLDER, 'client.mjs'), DIST, kubeconfig, NAMESPACE], objects);
    for (const [format, mediaType] of FORMATS) {
      const theirs = (): SyncFigures => sync(binary, [kubeconfig, NAMESPACE, mediaType], objects);
      const rounds: [SyncFigures[], SyncFigures[]] = [[], []];
      for (let round = -1; round < (short ? 2 : 5); round++) {
        const pair = round % 2 === 0 ? [ours(), theirs()] : [theirs(), ours()].reverse();
        if (round >= 0) for (const [i, figures] of pair.entries()) rounds[i as 0 | 1].push(figures);
      }
      const line = (name: string, unit: string, of: (figures: SyncFigures) => number, atLeast: number): void =>
        judge({
          name: `informer of ${objects.toLocaleString('en')} beside client-go in ${format}: ${name}`,
          unit,
          ours: rounds[0].map(of),
          peer: rounds[1].map(of),
          better: 'less',
          atLeast,
        });
      line('time', 'ms', ({ milliseconds }) => milliseconds, BARS.time);
      line('client CPU', 'ms', ({ cpu }) => cpu, BARS.time);
      line('memory', 'MB', ({ resident }) => resident / 1e6, BARS.memory);
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return benchIdle(short ? 5 : 30);
}

function benchIdle(seconds: number): boolean {
  const text = execFileSync(process.execPath, ['--expose-gc', join(FOLDER, 'idle.mjs'), DIST, String(seconds)], {
    encoding: 'utf8',
  });
  const figures = JSON.parse(text.trim().split('\n').at(-1) ?? '') as Record<
    'cpuWithout' | 'cpuWith' | 'bytes',
    number
  >;
  const { cpuWithout, cpuWith, bytes } = figures;
  const holds = cpuWith - cpuWithout <= IDLE.cpu && bytes <= IDLE.bytes;
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
  console.log(
    `50 idle informers in process: CPU ${percent(cpuWithout)} without, ${percent(cpuWith)} with; ${(bytes / 1e6).toFixed(1)} MB   under 10 MB   ${holds ? 'pass' : 'FAIL'}`,
  );
  return holds;
}

function sync(command: string, args: readonly string[], objects: number): SyncFigures {
  const figures = JSON.parse(execFileSync(command, args, { encoding: 'utf8' })) as SyncFigures;
  if (figures.objects < objects) throw new Error(`${command} has ${figures.objects} of ${objects} objects`);
  return figures;
}

function buildClientGo(): string {
  requireTool('go', ['version'], 'the informer of client-go needs Go 1.26 on the PATH');
  const cache = join(ROOT, '.cache', 'clients');
  mkdirSync(cache, { recursive: true });
  const binary = join(cache, 'informer');
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: join(FOLDER, 'client-go'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  return binary;
}

function kubeconfigOf({ url, token }: Side): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'admin' } }],
    'current-context': 'bench',
  });
}
