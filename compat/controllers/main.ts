/**
 * Runs loops of the real kube-controller-manager beside the reference and beside our server, and compares with kubectl
 * what they write. A difference counts if it occurs again on fresh servers.
 *
 * usage: main.ts [--self]
 *   --self   compares two references: every difference is noise of this suite
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printGroups } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { formatResult, printDifferences } from '../kubectl/report.ts';
import { runScripts, type StepResult } from '../kubectl/run.ts';
import { type ControllerManager, startControllerManager } from '../peers/controller-manager.ts';
import { onFreshPair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { LOOPS, ROLES, SERVICE_CIDRS } from './script.ts';

const { values } = parseArgs({ options: { self: { type: 'boolean', default: false } } });

/** Runs the scripts on fresh servers, each with its own kube-controller-manager. */
function runOnce(): Promise<StepResult[]> {
  return onFreshPair(values.self ? 'reference' : 'keelson', [], async (pair) => {
    const started: ControllerManager[] = [];
    try {
      for (const peer of [pair.reference, pair.candidate]) started.push(await startControllerManager(peer, LOOPS));
      return await runScripts(pair, [ROLES, SERVICE_CIDRS]);
    } finally {
      for (const manager of started) await manager.stop();
    }
  });
}

const began = performance.now();
const results = await differingTwice(await runOnce(), {
  differing: (some) => some.filter(({ differences }) => differences.length > 0),
  partOf: ({ script }) => script,
  nameOf: ({ line }) => line,
  run: runOnce,
});
const judged = results.map((result) => ({ result, unknown: result.differences }));
printDifferences(judged);
printGroups(judged, ({ script }) => script);
const differed = results.filter(({ differences }) => differences.length > 0).length;
// A command that fails on both servers agrees; here it means that a loop did nothing.
const failed = results.filter(({ line, candidate }) => line.startsWith('wait ') && candidate.exit !== 0).length;
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(`${results.length - differed} of ${results.length} command lines agree; ${seconds} s`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'controllers.log');
writeFileSync(log, results.map(formatResult).join('\n'));
if (differed > 0) console.log(`FAIL ${differed} command lines; every one with both outputs: ${log}`);
if (failed > 0) console.log(`FAIL ${failed} waits for a loop; every one with both outputs: ${log}`);
process.exitCode = differed === 0 && failed === 0 ? 0 : 1;
