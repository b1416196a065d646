/**
 * Compares server-side apply and managedFields with the reference: generated sequences of writes to one object by
 * several managers.
 *
 * usage: main.ts [--full] [--self] [--sequences N] [--seed N] [--only SEED,...] [--kind PLURAL,...] [--all]
 *                [--refusals]
 *   --full       1,200 sequences; default 160
 *   --self       compares two references: every difference is noise of this suite
 *   --seed       the seed of the first sequence; the others follow. Default 1
 *   --only       only these sequences, with every step printed
 *   --kind       only sequences of these kinds
 *   --all        prints every difference, not the first few
 *   --refusals   prints which refusals of the reference occurred, and how often
 * Fails below 99 % agreement, on a difference that known.ts does not list and that occurs again on fresh servers, and on
 * a listed one that no longer occurs (--full).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differing, printGroups, unlistedIds } from '../common/outcome.ts';
import { type Answer, type Client, createClient } from '../diff/client.ts';
import { type Candidate, onFreshPair, type Pair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { generateSequence } from './generate.ts';
import { KNOWN } from './known.ts';
import { minimise } from './minimise.ts';
import { prepare } from './prepare.ts';
import { isKnown, judgeSequences, printSequences } from './report.ts';
import { type Clients, type RunOptions, runSequences, type SequenceResult } from './run.ts';
import { formatStep, type Sequence, type Step } from './sequence.ts';
import { nameOf } from './subject.ts';
import { SUBJECTS } from './subjects.ts';

const REQUIRED = 0.99;
const SHORT = 160;
const FULL = 1200;
const MAX_MINIMISED = 20;
/** Pods then need no ServiceAccount, which a controller would create. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    self: { type: 'boolean', default: false },
    sequences: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    kind: { type: 'string' },
    all: { type: 'boolean', default: false },
    refusals: { type: 'boolean', default: false },
  },
});
const only = values.only?.split(',').map(Number);
const wanted = values.kind?.split(',');
const partial = only !== undefined || wanted !== undefined;
const length = Number(values.sequences ?? (values.full ? FULL : SHORT));
const seeds = only ?? Array.from({ length }, (_, i) => Number(values.seed) + i);
const sequences = seeds
  .map((seed) => generateSequence(seed, SUBJECTS))
  .filter(({ subject }) => wanted === undefined || wanted.includes(subject.plural));
if (sequences.length === 0) throw new Error(`no such kind; there are ${[...new Set(SUBJECTS.map(nameOf))].join(', ')}`);
if (only !== undefined)
  for (const { seed, subject, steps } of sequences)
    console.log(`seed ${seed}\n${steps.map((step, i) => `  ${i + 1}. ${formatStep(subject, step)}`).join('\n')}`);

const candidate: Candidate = values.self ? 'reference' : 'keelson';
const answers = new Map<string, number>();
const refusals = new Map<string, number>();
const known = (difference: Parameters<typeof isKnown>[0]): boolean => !values.self && isKnown(difference);

const started = performance.now();
const first = await withServers((clients) =>
  runSequences(sequences, {
    clients,
    isKnown: known,
    seen: countAnswer,
  }),
);
const results = await confirm(first);
const { judged, outcome } = judgeSequences(results, values.self);
printSequences(judged, values.all);
printGroups(judged, ({ sequence }) => nameOf(sequence.subject));
console.log(`\nanswers of the reference: ${formatCounts(answers, ', ')}`);
if (values.refusals) console.log(formatCounts(refusals, '\n'));
const steps = sequences.reduce((sum, one) => sum + one.steps.length, 0);
const share = outcome.agreed / outcome.total;
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `${outcome.agreed} of ${outcome.total} sequences (${steps} steps, seeds from ${seeds[0]}) agree ` +
    `(${(100 * share).toFixed(2)} %), ${outcome.known} differ in known ways, ${outcome.unknown} otherwise; ${seconds} s`,
);
const isCommon = (id: string): boolean => KNOWN.find((entry) => entry.id === id)?.isRare !== true;
const complaints = [
  ...(share < REQUIRED && !partial ? [`agreement is below ${100 * REQUIRED} %`] : []),
  ...(outcome.unknown > 0
    ? [`${outcome.unknown} sequences differ in ways that compat/apply/known.ts does not list`]
    : []),
  ...(values.full && !partial && !values.self
    ? outcome.stale.filter(isCommon).map((id) => `"${id}" is listed in compat/apply/known.ts but no longer occurs`)
    : []),
  ...unlistedIds(KNOWN),
];
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'apply.log');
writeFileSync(
  log,
  results
    .filter(({ differences }) => differences.length > 0)
    .map(formatResult)
    .join('\n'),
);
if (complaints.length > 0) console.log(`every difference: ${log}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

/** Runs differing sequences again on fresh servers, and minimises those that differ again. */
async function confirm(some: readonly SequenceResult[]): Promise<SequenceResult[]> {
  const doubtful = differing(judgeSequences(some, values.self).judged);
  if (doubtful.length === 0) return [...some];
  const second = await withServers(async (clients) => {
    const options: RunOptions = { clients, isKnown: known };
    const again = await runSequences(
      doubtful.map(({ sequence }) => sequence),
      options,
    );
    const failed = differing(judgeSequences(again, values.self).judged);
    const small: SequenceResult[] = [];
    for (const result of failed.slice(0, MAX_MINIMISED)) small.push(await minimise(result, options));
    return again.map((result) => small.find(({ sequence }) => sequence.seed === result.sequence.seed) ?? result);
  });
  const bySeed = new Map(second.map((result) => [result.sequence.seed, result]));
  const stillDiffer = new Set(
    differing(judgeSequences(second, values.self).judged).map(({ sequence }) => sequence.seed),
  );
  return some.map((result) => {
    const other = bySeed.get(result.sequence.seed);
    if (other === undefined) return result;
    if (!stillDiffer.has(result.sequence.seed))
      console.log(`differed once, and not again: seed ${result.sequence.seed}`);
    return other;
  });
}

async function withServers<T>(work: (clients: Clients) => Promise<T>): Promise<T> {
  return onFreshPair(candidate, FLAGS, async (pair: Pair) => {
    const clients: [Client, Client] = [createClient(pair.reference), createClient(pair.candidate)];
    try {
      await Promise.all(clients.map(prepare));
      return await work(clients);
    } finally {
      for (const client of clients) client.close();
    }
  });
}

function countAnswer({ subject }: Sequence, { method, patch, subresource }: Step, { status, text }: Answer): void {
  const add = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  add(answers, `${patch ?? method}${subresource === undefined ? '' : `/${subresource}`} ${status}`);
  if (status >= 400) add(refusals, `${status} ${nameOf(subject)} ${text.replace(/\bs\d+-\d+\b/g, '{{name}}').trim()}`);
}

function formatCounts(counts: ReadonlyMap<string, number>, between: string): string {
  return [...counts]
    .sort()
    .map(([what, times]) => `${what}: ${times}`)
    .join(between);
}

function formatResult({ sequence, differences }: SequenceResult): string {
  return [
    `=== seed ${sequence.seed} ${nameOf(sequence.subject)}`,
    ...sequence.steps.map((step, i) => `${i + 1}. ${formatStep(sequence.subject, step)}`),
    ...differences.map(
      ({ index, where, reference, candidate }) => `--- step ${index + 1} ${where}: ${reference} → ${candidate}`,
    ),
    '',
  ].join('\n');
}
