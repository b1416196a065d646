/**
 * Runs the real Helm 3 and Helm 4 against the reference and against our server. Charts are installed, upgraded, rolled back and
 * removed; exit code, standard output, standard error and the stored objects are compared. A difference counts if it
 * occurs again on fresh servers.
 *
 * usage: main.ts [--self] [--only helm3,helm4]
 *   --only   only these scripts
 *   --self   compares two references: every difference is noise of this suite
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printGroups } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { formatResult, printDifferences } from '../kubectl/report.ts';
import { runScripts, type StepResult } from '../kubectl/run.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import { program, ROOT } from '../peers/programs.ts';
import { HELM3 } from './helm3.ts';
import { HELM4 } from './helm4.ts';

/** Pods then need no ServiceAccount, which a controller would create. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];

const { values } = parseArgs({
  options: { self: { type: 'boolean', default: false }, only: { type: 'string', default: 'helm3,helm4' } },
});
const scripts = [HELM3, HELM4].filter(({ name }) => values.only.split(',').includes(name));
if (scripts.length === 0) throw new Error(`no script is called ${values.only}; there are helm3 and helm4`);
// Built here, because both servers wait while a command line runs.
program('helm');
program('helm4');

const candidate: Candidate = values.self ? 'reference' : 'keelson';
/** Runs the scripts on fresh servers. */
const runOnce = (): Promise<StepResult[]> => onFreshPair(candidate, FLAGS, (pair) => runScripts(pair, scripts));

const started = performance.now();
const results = await differingTwice(await runOnce(), {
  differing: (some) => some.filter(({ differences }) => differences.length > 0),
  partOf: ({ script }) => script,
  nameOf: ({ line }) => line,
  run: runOnce,
});
const judged = results.map((result) => ({ result, unknown: result.differences }));
printDifferences(judged);
printGroups(judged, ({ script }) => script);
const failed = results.filter(({ differences }) => differences.length > 0).length;
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${results.length - failed} of ${results.length} command lines agree; ${seconds} s`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'helm.log');
writeFileSync(log, results.map(formatResult).join('\n'));
if (failed > 0) console.log(`FAIL ${failed} command lines; every one with both outputs: ${log}`);
process.exitCode = failed === 0 ? 0 : 1;
