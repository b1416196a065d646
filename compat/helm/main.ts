/**
 * Runs the real Helm against the reference and against our server: charts are installed, upgraded, rolled back and removed, and exit code, standard
 * output, standard error and what is stored are compared.
 * A line counts as different if it is so again when the script is run again on fresh servers.
 * usage: main.ts [--self]
 *   --self   compares two references: whatever differs then is noise of this suite
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
import { HELM } from './script.ts';

/** Pods need no ServiceAccount, which a controller would make. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];

const { values } = parseArgs({ options: { self: { type: 'boolean', default: false } } });
program('helm');

const candidate: Candidate = values.self ? 'reference' : 'keelson';
/** On servers of their own. */
const runOnce = (): Promise<StepResult[]> => onFreshPair(candidate, FLAGS, (pair) => runScripts(pair, [HELM]));

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
