/**
 * Compares server-side apply and managedFields with the reference: generated sequences of writes to one object by
 * several managers, and the reset fields of every resource.
 *
 * usage: main.ts [--full] [--self] [--part NAME,...] [--sequences N] [--seed N] [--only SEED,...] [--kind PLURAL,...]
 *                [--all] [--refusals]
 *   --full       1,200 sequences; default 120
 *   --self       compares two references: every difference is noise of this suite
 *   --part       only these parts: sequences, reset-fields
 *   --seed       the seed of the first sequence; the others follow. Default 1
 *   --only       only the sequences of these seeds, with every step printed
 *   --kind       only sequences of these kinds
 *   --all        prints every difference, not the first few
 *   --refusals   prints which refusals of the reference occurred, and how often
 * Fails below 99 % agreement of the generated sequences, on a difference that known.ts does not list and that occurs
 * again on fresh servers, and on a listed one that no longer occurs (--full).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printGroups, unlistedIds } from '../common/outcome.ts';
import type { Answer } from '../diff/client.ts';
import { ROOT } from '../peers/programs.ts';
import { generateSequence } from './generate.ts';
import { KNOWN } from './known.ts';
import { isKnown, judgeSequences, printSequences } from './report.ts';
import { resetFieldSequences } from './reset-fields.ts';
import type { SequenceResult } from './run.ts';
import { formatStep, type Sequence, type Step } from './sequence.ts';
import { nameOf } from './subject.ts';
import { SUBJECTS } from './subjects.ts';
import { type Part, runPart } from './suite.ts';

const REQUIRED = 0.99;
const SHORT = 120;
const FULL = 1200;
/** Pods then need no ServiceAccount, which a controller would create. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];
/** Every version. The reference has some kinds behind feature gates too, which have no effect on our server. */
const ALL_VERSIONS = [
  '--runtime-config=api/all=true,certificates.k8s.io/v1beta1=true,certificates.k8s.io/v1alpha1=true,scheduling.k8s.io/v1alpha2=true,storagemigration.k8s.io/v1beta1=true',
  '--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true,StorageVersionMigrator=true,GenericWorkload=true',
];

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    self: { type: 'boolean', default: false },
    part: { type: 'string' },
    sequences: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    kind: { type: 'string' },
    all: { type: 'boolean', default: false },
    refusals: { type: 'boolean', default: false },
  },
});
const only = values.only?.split(',').map(Number);
const kinds = values.kind?.split(',');
const isWanted = ({ subject }: Sequence): boolean => kinds === undefined || kinds.includes(subject.plural);

const PARTS: Readonly<Record<string, Part>> = {
  sequences: {
    flags: FLAGS,
    sequences: () => {
      const length = Number(values.sequences ?? (values.full ? FULL : SHORT));
      const seeds = only ?? Array.from({ length }, (_, i) => Number(values.seed) + i);
      return seeds.map((seed) => generateSequence(seed, SUBJECTS)).filter(isWanted);
    },
  },
  'reset-fields': {
    flags: [...FLAGS, ...ALL_VERSIONS],
    sequences: async ([reference]) => (await resetFieldSequences(reference)).filter(isWanted),
  },
};
const names = values.part?.split(',') ?? (only === undefined ? Object.keys(PARTS) : ['sequences']);
const partial = names.length < Object.keys(PARTS).length || kinds !== undefined;

const answers = new Map<string, number>();
const refusals = new Map<string, number>();
const complaints: string[] = [];
const all: SequenceResult[] = [];
for (const name of names) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part ${name}; there are ${Object.keys(PARTS).join(', ')}`);
  const started = performance.now();
  const results = await runPart(part, {
    candidate: values.self ? 'reference' : 'keelson',
    ignoreKnown: values.self,
    isKnown: (difference) => !values.self && isKnown(difference),
    seen: countAnswer,
  });
  if (results.length === 0) continue;
  all.push(...results);
  if (only !== undefined) for (const { sequence } of results) console.log(formatSequence(sequence));
  const { judged, outcome } = judgeSequences(results, values.self);
  printSequences(judged, values.all);
  if (name === 'sequences') printGroups(judged, ({ sequence }) => nameOf(sequence.subject));
  const steps = results.reduce((sum, { sequence }) => sum + sequence.steps.length, 0);
  const share = outcome.agreed / outcome.total;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${name}: ${outcome.agreed} of ${outcome.total} sequences (${steps} steps) agree (${(100 * share).toFixed(2)} %), ` +
      `${outcome.known} differ in known ways, ${outcome.unknown} otherwise; ${seconds} s`,
  );
  // There are few reset-fields sequences, so each difference is listed instead of a share of them.
  if (name === 'sequences' && share < REQUIRED && !partial)
    complaints.push(`${name}: agreement is below ${100 * REQUIRED} %`);
  if (outcome.unknown > 0)
    complaints.push(`${name}: ${outcome.unknown} differ in ways that compat/apply/known.ts does not list`);
}
console.log(`\nanswers of the reference: ${formatCounts(answers, ', ')}`);
if (values.refusals) console.log(formatCounts(refusals, '\n'));
if (values.full && !partial && !values.self)
  complaints.push(
    ...judgeSequences(all, false)
      .outcome.stale.filter((id) => KNOWN.find((entry) => entry.id === id)?.isRare !== true)
      .map((id) => `"${id}" is listed in compat/apply/known.ts but no longer occurs`),
  );
complaints.push(...unlistedIds(KNOWN));
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'apply.log');
writeFileSync(
  log,
  all
    .filter(({ differences }) => differences.length > 0)
    .map(formatResult)
    .join('\n'),
);
if (complaints.length > 0) console.log(`every difference: ${log}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

function countAnswer({ subject }: Sequence, { method, patch, subresource }: Step, { status, text }: Answer): void {
  const add = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  add(answers, `${patch ?? method}${subresource === undefined ? '' : `/${subresource}`} ${status}`);
  if (status >= 400) add(refusals, `${status} ${nameOf(subject)} ${text.replace(/\bs-\d+\b/g, '{{name}}').trim()}`);
}

function formatCounts(counts: ReadonlyMap<string, number>, between: string): string {
  return [...counts]
    .sort()
    .map(([what, times]) => `${what}: ${times}`)
    .join(between);
}

function formatSequence({ title, subject, steps }: Sequence): string {
  return [
    `=== ${title}, ${nameOf(subject)}`,
    ...steps.map((step, i) => `  ${i + 1}. ${formatStep(subject, step)}`),
  ].join('\n');
}

function formatResult({ sequence, differences }: SequenceResult): string {
  return [
    formatSequence(sequence),
    ...differences.map(
      ({ index, where, reference, candidate }) => `--- step ${index + 1} ${where}: ${reference} → ${candidate}`,
    ),
    '',
  ].join('\n');
}
