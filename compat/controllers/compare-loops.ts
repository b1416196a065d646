/**
 * Loops of the real kube-controller-manager beside the reference, compared with the same program beside our server, and
 * with our own loops; kubectl compares what they write. A difference counts if it occurs again on fresh servers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printGroups } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { formatResult, printDifferences } from '../kubectl/report.ts';
import { runScripts, type StepResult } from '../kubectl/run.ts';
import { type ControllerManager, startControllerManager } from '../peers/controller-manager.ts';
import { type Candidate, type CandidateWithLoops, onFreshPair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { CUSTOM_QUOTAS, QUOTA_FLAGS, QUOTA_LOOP, QUOTAS } from './quota-scripts.ts';
import { LOOPS, ROLES, SERVICE_CIDRS } from './script.ts';
import { step } from './steps.ts';

const NEEDED: readonly string[] = [...LOOPS, QUOTA_LOOP];

/** Runs the scripts on fresh servers. A candidate with loops of its own has no kube-controller-manager. */
function runOnce(candidate: Candidate | CandidateWithLoops, full: boolean): Promise<StepResult[]> {
  return onFreshPair(candidate, [], async (pair) => {
    const started: ControllerManager[] = [];
    const managed = typeof candidate === 'string' ? [pair.reference, pair.candidate] : [pair.reference];
    try {
      for (const peer of managed) started.push(await startControllerManager(peer, NEEDED, QUOTA_FLAGS));
      return await runScripts(pair, [ROLES, SERVICE_CIDRS, QUOTAS, ...(full ? [CUSTOM_QUOTAS] : [])]);
    } finally {
      for (const manager of started) await manager.stop();
    }
  });
}

/**
 * With the candidate `reference`, every difference is noise of this part. `full`: with quotas of custom resources, whose
 * kind kube-controller-manager notices after up to two minutes.
 */
export async function compareLoops(candidate: Candidate, full: boolean): Promise<void> {
  console.log('kube-controller-manager beside both servers');
  await compare(candidate, 'controllers.log', full);
  if (candidate === 'reference') return;
  console.log('our loops, and kube-controller-manager beside the reference');
  await compare({ controllers: NEEDED.join(',') }, 'loops.log', full);
}

async function compare(candidate: Candidate | CandidateWithLoops, logName: string, full: boolean): Promise<void> {
  const run = (): Promise<StepResult[]> => runOnce(candidate, full);
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
  const log = join(folder, logName);
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
