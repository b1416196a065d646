/**
 * The table of `npm run bench`. Each line has two figures, their ratio, the bar and whether it holds. Exits with 1 if a
 * bar fails. `--short` runs fewer and shorter rounds, for CI, in less than a minute. `--only <word>` runs the lines
 * whose name contains the word. `--no-bars` prints figures without checking the bars.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { benchCel } from './cel/evaluations.ts';
import { benchFanOut } from './fan-out.ts';
import { benchHttpGet } from './http/get.ts';
import { benchLabelSelector } from './label-selector.ts';
import { benchLmdbCreate } from './lmdb-create.ts';
import type { BenchLine } from './measure.ts';
import type { MemoryFigures } from './memory.ts';
import { benchSchema } from './schema.ts';
import { benchWatchCacheList } from './watch-cache-list.ts';

const short = process.argv.includes('--short');
const onlyAt = process.argv.indexOf('--only');
const only = onlyAt < 0 ? '' : (process.argv[onlyAt + 1] ?? '');
const size = short ? { rounds: 5, ms: 150 } : { rounds: 15, ms: 400 };

/** Runs in a process of its own, with the flag that lets it collect garbage. */
async function measureMemory(updates: number, ...more: readonly string[]): Promise<MemoryFigures> {
  const runner = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url));
  const args = [runner, '--expose-gc', '--', 'bench/memory.ts', String(updates), ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the memory benchmark ended with ${code}`);
  return JSON.parse(output) as MemoryFigures;
}

function memoryLines(objects: string, figures: MemoryFigures, bars?: readonly [number, number, number]): BenchLine[] {
  const line = (name: string, ours: number, atMost: number | undefined): BenchLine => ({
    name: `memory of 100,000 cached ${objects} of 1 KB: ${name} / the bytes themselves`,
    ours: ours / 1e6,
    peer: figures.bytes / 1e6,
    unit: 'MB',
    ratio: ours / figures.bytes,
    ...(atMost === undefined ? {} : { atMost }),
  });
  return [
    line('heap + external', figures.heapAndExternal, bars?.[0]),
    line('anonymous', figures.anonymous, bars?.[1]),
    line(`anonymous after ${figures.updates.toLocaleString('en')} updates`, figures.anonymousAfterUpdates, bars?.[2]),
  ];
}

async function benchMemory(): Promise<BenchLine[]> {
  const lines = memoryLines('objects', await measureMemory(300_000), [1.4, 2, 3.5]);
  // Without a bar: the memory if no two objects have the same labels.
  if (!short)
    lines.push(...memoryLines('objects with labels of their own', await measureMemory(300_000, 'own-labels')));
  return lines;
}

const benches: readonly { readonly name: string; run(): Promise<BenchLine | readonly BenchLine[]> }[] = [
  { name: 'lmdb', run: () => benchLmdbCreate() },
  { name: 'list', run: () => benchWatchCacheList(size) },
  { name: 'fan-out', run: () => benchFanOut(size) },
  { name: 'selector', run: () => benchLabelSelector(size) },
  { name: 'memory', run: () => benchMemory() },
  { name: 'schema', run: async () => benchSchema(size) },
  { name: 'cel', run: async () => benchCel(size) },
  { name: 'http', run: () => benchHttpGet(size) },
];

function load(): string {
  return loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function print(line: BenchLine): boolean {
  const { atLeast, atMost, ratio } = line;
  const holds = !(ratio < (atLeast ?? 0)) && !(ratio > (atMost ?? Number.POSITIVE_INFINITY));
  const bar = atLeast !== undefined ? `at least ${atLeast}` : atMost !== undefined ? `at most ${atMost}` : undefined;
  const verdict = bar === undefined ? 'no bar' : `${bar}   ${holds ? 'pass' : 'FAIL'}`;
  console.log(line.name);
  console.log(
    `    ${figure(line.ours)} / ${figure(line.peer)} ${line.unit}   ratio ${ratio.toFixed(2)}   ${verdict}   (load ${load()})`,
  );
  return holds;
}

console.log(
  `${cpus().length} cores (${cpus()[0]?.model.trim() || process.arch}), Node ${process.version}, load average ${load()} at the start`,
);
console.log(
  `medians of ${size.rounds} rounds of ${size.ms} ms of CPU time per side, sides taking turns, two rounds of warming up not counted${short ? ' (short form)' : ''};`,
);
console.log('the LMDB line has rounds of its own, memory is measured once in a process of its own\n');

let failures = 0;
for (const bench of benches) {
  if (!bench.name.includes(only)) continue;
  const lines = [await bench.run()].flat();
  for (const line of lines) if (!print(line)) failures++;
}
console.log(failures === 0 ? '\nall bars hold' : `\n${failures} bars do not hold`);
// `--no-bars` is for machines with other load.
process.exit(failures === 0 || process.argv.includes('--no-bars') ? 0 : 1);
