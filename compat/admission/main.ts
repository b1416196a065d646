/**
 * Compares admission webhooks and policies with the reference: generated configurations and requests, against one
 * recording webhook server for each side. Answers, stored objects and the reviews that webhooks receive are compared.
 *
 * usage: main.ts [--full] [--self] [--part NAME,...] [--cases N] [--seed N] [--only SEED,...]
 *   --full    2,000 cases with webhooks, 2,500 with validating and 500 with mutating policies; default 120, 120 and 80
 *   --part    only these parts: webhooks, policies, mutating
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
import type { AdmissionCase } from './admission-case.ts';
import { generateMutatingCase } from './generate-mutating.ts';
import { generatePolicyCase } from './generate-policies.ts';
import { generateWebhookCase } from './generate-webhooks.ts';
import { InstallError } from './install-wait.ts';
import { KNOWN } from './known.ts';
import { type CaseResult, runCases } from './run.ts';

const REQUIRED = 0.99;
/** The reference evaluates every webhook of a batch for each request. */
const BATCH = 400;
const SHOWN = 30;
/** The number of times that a batch is installed. */
const ATTEMPTS = 3;

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    self: { type: 'boolean', default: false },
    cases: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    part: { type: 'string' },
  },
});
interface Part {
  readonly short: number;
  readonly full: number;
  readonly generate: (seed: number) => AdmissionCase;
}

const PARTS: Readonly<Record<string, Part>> = {
  webhooks: { short: 120, full: 2000, generate: generateWebhookCase },
  policies: { short: 120, full: 2500, generate: generatePolicyCase },
  mutating: { short: 80, full: 500, generate: generateMutatingCase },
};
const names = values.part?.split(',') ?? Object.keys(PARTS);
const cases = names.flatMap((name) => {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part ${name}; there are ${Object.keys(PARTS).join(', ')}`);
  const length = Number(values.cases ?? (values.full ? part.full : part.short));
  const seeds = values.only?.split(',').map(Number) ?? Array.from({ length }, (_, i) => Number(values.seed) + i);
  return seeds.map(part.generate);
});
const candidate = values.self ? 'reference' : 'keelson';
const known = values.self ? [] : KNOWN;

const started = performance.now();
const first: CaseResult[] = [];
for (let i = 0; i < cases.length; i += BATCH) {
  first.push(...(await runFresh(cases.slice(i, i + BATCH))));
  const { agreed, total } = judgeCases(first).outcome;
  const time = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${total} of ${cases.length} cases: ${agreed} agree; ${time} s`);
}
const nameOf = ({ case: { name } }: CaseResult): string => name;
const results = await differingTwice(first, {
  differing: (some) =>
    judgeCases(some)
      .judged.filter(({ unknown }) => unknown.length > 0)
      .map(({ result }) => result),
  partOf: nameOf,
  nameOf,
  run: (parts) => runFresh(cases.filter(({ name }) => parts.has(name))),
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
  complaints.push(`${outcome.unknown} cases differ in ways that compat/admission/known.ts does not list`);
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

/** Runs a batch on fresh servers; again on others if one of them did not use its configurations in time. */
async function runFresh(some: readonly AdmissionCase[]): Promise<CaseResult[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await onFreshPair(candidate, [], (pair) => runCases(pair, some));
    } catch (error) {
      if (!(error instanceof InstallError) || attempt === ATTEMPTS) throw error;
      console.log(`attempt ${attempt} of ${ATTEMPTS}: ${error.message}`);
    }
  }
}

function judgeCases(some: readonly CaseResult[]): { judged: Judged<CaseResult>[]; outcome: Outcome } {
  return judge(some, known, (entry, result: CaseResult, difference: Difference) =>
    entry.matches(difference, result.case.name),
  );
}
