/**
 * Runs the real kubectl against the reference and against our server and compares exit code, standard output and
 * standard error.
 *
 * usage: main.ts [--self] [--script NAME,...] [--known]
 *   --self    compares two references: every difference is noise of this suite
 *   --script  only these scripts (turns the stale check off); --known also prints the known differences that occurred
 * Fails on a difference that known.ts does not list and that occurs again when its script is run on fresh servers, and
 * on a listed one that no longer occurs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differing, printGroups, unlistedIds } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { KNOWN } from './known.ts';
import { formatResult, judgeLines, printDifferences } from './report.ts';
import { runScripts, type StepResult } from './run.ts';
import type { Script } from './script.ts';
import { SCRIPTS } from './scripts.ts';

/** Pods then need no ServiceAccount, which a controller would create. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount', '--allow-privileged=true'];

const { values } = parseArgs({
  options: {
    self: { type: 'boolean', default: false },
    script: { type: 'string' },
    known: { type: 'boolean', default: false },
  },
});
const names = values.script?.split(',');
const scripts = SCRIPTS.filter((script) => names === undefined || names.includes(script.name));
if (scripts.length === 0)
  throw new Error(`no such scripts; there are ${SCRIPTS.map((script) => script.name).join(', ')}`);

const known = values.self ? [] : KNOWN;
const candidate: Candidate = values.self ? 'reference' : 'keelson';
/** Runs the scripts on fresh servers. */
const runOnce = (chosen: readonly Script[]): Promise<StepResult[]> =>
  onFreshPair(candidate, FLAGS, (pair) => runScripts(pair, chosen));

const started = performance.now();
const results = await differingTwice(await runOnce(scripts), {
  differing: (some) => differing(judgeLines(some, known).judged),
  partOf: ({ script }) => script,
  nameOf: ({ line }) => line,
  run: (names) => runOnce(scripts.filter(({ name }) => names.has(name))),
});
const { judged, outcome } = judgeLines(results, known);
printDifferences(values.known ? judged.map((one) => ({ ...one, unknown: one.result.differences })) : judged);
printGroups(judged, ({ script }) => script);
console.log(
  `${outcome.agreed} of ${outcome.total} command lines agree (${((100 * outcome.agreed) / outcome.total).toFixed(2)} %), ${outcome.known} differ in known ways, ${outcome.unknown} otherwise; ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
const complaints = [
  ...(outcome.unknown > 0
    ? [`${outcome.unknown} command lines differ in ways that compat/kubectl/known.ts does not list`]
    : []),
  ...(names === undefined
    ? outcome.stale.map((id) => `"${id}" is listed in compat/kubectl/known.ts but no longer occurs`)
    : []),
  ...unlistedIds(KNOWN),
];
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'kubectl.log');
writeFileSync(log, results.map(formatResult).join('\n'));
if (complaints.length > 0) console.log(`every command line and both outputs: ${log}`);
process.exitCode = complaints.length === 0 ? 0 : 1;
