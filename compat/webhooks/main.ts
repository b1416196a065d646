/**
 * Compares admission webhooks with the reference: generated webhooks and requests, against one recording webhook server
 * for each side. Answers, stored objects and the reviews that webhooks receive are compared.
 *
 * usage: main.ts [--full] [--self] [--cases N] [--seed N] [--only SEED,...]
 *   --full    2,000 cases; default 150
 *   --self    compares two references: every difference is noise of this suite
 *   --seed    the seed of the first case; the others follow. Default 1
 *   --only    only the cases of these seeds, printed in full
 * Fails below 99 % agreement, and on a difference that known.ts does not list and that occurs again on fresh servers.
 */
import { parseArgs } from 'node:util';
import { type Judged, judge, type Outcome, unlistedIds } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import type { Difference } from '../diff/compare.ts';
import { onFreshPair } from '../peers/pair.ts';
import { generateCase } from './generate.ts';
import { KNOWN } from './known.ts';
import { type CaseResult, runCases } from './run.ts';

const REQUIRED = 0.99;
const SHORT = 150;
const FULL = 2000;
/** The reference evaluates every webhook of a batch for each request. */
const BATCH = 400;
const SHOWN = 30;

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    self: { type: 'boolean', default: false },
    cases: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const count = Number(values.cases ?? (values.full ? FULL : SHORT));
const seeds = values.only?.split(',').map(Number) ?? Array.from({ length: count }, (_, i) => Number(values.seed) + i);
const candidate = values.self ? 'reference' : 'keelson';
const known = values.self ? [] : KNOWN;

const started = performance.now();
const first: CaseResult[] = [];
for (let i = 0; i < seeds.length; i += BATCH) first.push(...(await runSeeds(seeds.slice(i, i + BATCH))));
const seedOf = ({ case: { name } }: CaseResult): string => name.slice('case-'.length);
const results = await differingTwice(first, {
  differing: (some) =>
    judgeCases(some)
      .judged.filter(({ unknown }) => unknown.length > 0)
      .map(({ result }) => result),
  partOf: seedOf,
  nameOf: seedOf,
  run: (parts) => runSeeds([...parts].map(Number)),
});
const { judged, outcome } = judgeCases(results);
let shown = 0;
for (const { result, unknown } of judged) {
  if (unknown.length === 0 || shown++ >= SHOWN) continue;
  console.log(`\n${result.case.name}`);
  if (values.only !== undefined) console.log(JSON.stringify(result.case, null, 1));
  for (const { where, reference, candidate: ours } of unknown.slice(0, 6))
    console.log(`  ${where}\n    reference ${reference}\n    ours      ${ours}`);
}
const share = outcome.agreed / outcome.total;
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `\n${outcome.agreed} of ${outcome.total} cases agree (${(100 * share).toFixed(2)} %), ${outcome.known} differ in known ways, ` +
    `${outcome.unknown} otherwise; ${seconds} s`,
);
const complaints = unlistedIds(known);
if (share < REQUIRED) complaints.push(`agreement is below ${100 * REQUIRED} %`);
if (outcome.unknown > 0)
  complaints.push(`${outcome.unknown} cases differ in ways that compat/webhooks/known.ts does not list`);
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

function runSeeds(some: readonly number[]): Promise<CaseResult[]> {
  return onFreshPair(candidate, [], (pair) => runCases(pair, some.map(generateCase)));
}

function judgeCases(some: readonly CaseResult[]): { judged: Judged<CaseResult>[]; outcome: Outcome } {
  return judge(some, known, (entry, _result: CaseResult, difference: Difference) => entry.matches(difference));
}
