/**
 * Loops of the real kube-controller-manager beside the reference and beside our server; kubectl compares what they
 * write. A difference counts if it occurs again on fresh servers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printGroups } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { formatResult, printDifferences } from '../kubectl/report.ts';
import { runScripts, type StepResult } from '../kubectl/run.ts';
import { type ControllerManager, startControllerManager } from '../peers/controller-manager.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { LOOPS, ROLES, SERVICE_CIDRS } from './script.ts';
import { step } from './steps.ts';

/** Runs the scripts on fresh servers, each with its own kube-controller-manager. */
function runOnce(candidate: Candidate): Promise<StepResult[]> {
  return onFreshPair(candidate, [], async (pair) => {
    const started: ControllerManager[] = [];
    try {
      for (const peer of [pair.reference, pair.candidate]) started.push(await startControllerManager(peer, LOOPS));
      return await runScripts(pair, [ROLES, SERVICE_CIDRS]);
    } finally {
      for (const manager of started) await manager.stop();
    }
  });
}

/** With the candidate `reference`, every difference is noise of this part. */
export async function compareLoops(candidate: Candidate): Promise<void> {
  console.log('kube-controller-manager beside both servers');
  const run = (): Promise<StepResult[]> => runOnce(candidate);
  const results = await differingTwice(await run(), {
    differing: (some) => some.filter(({ differences }) => differences.length > 0),
    partOf: ({ script }) => script,
    nameOf: ({ line }) => line,
    run,
  });
  const judged = results.map((result) => ({ result, unknown: result.differences }));
  printDifferences(judged);
  printGroups(judged, ({ script }) => script);
  const folder = join(ROOT, '.cache', 'compat');
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'controllers.log');
  writeFileSync(log, results.map(formatResult).join('\n'));
  await step(`${results.length} command lines agree`, async () => {
    const differed = results.filter(({ differences }) => differences.length > 0).length;
    if (differed > 0) throw new Error(`${differed} differ; every one with both outputs: ${log}`);
  });
  await step('every loop did what a command waits for', async () => {
    // A command that fails on both servers agrees; here it means that a loop did nothing.
    const failed = results.filter(({ line, candidate: ours }) => line.startsWith('wait ') && ours.exit !== 0).length;
    if (failed > 0) throw new Error(`${failed} waits failed; every one with both outputs: ${log}`);
  });
}
