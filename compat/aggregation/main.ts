/**
 * Extension API servers behind the reference and behind our server, used with the real kubectl: exit code, standard
 * output and standard error of each command line are compared.
 *
 * usage: main.ts [--self] [--part wardle,metrics,...]
 *   --self   compares two references: every difference is noise of this suite
 *   --part   only these parts (turns the stale check off)
 * Fails on a difference that known.ts does not list and that occurs again on fresh servers, and on a listed one that no
 * longer occurs.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differing, printGroups, unlistedIds } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { formatResult, judgeLines, printDifferences } from '../kubectl/report.ts';
import type { StepResult } from '../kubectl/run.ts';
import { type ControllerManager, startControllerManager } from '../peers/controller-manager.ts';
import { type Candidate, onFreshPair, type Pair } from '../peers/pair.ts';
import { type Credentials, proxyClientFlags } from '../peers/peer.ts';
import { ROOT } from '../peers/programs.ts';
import { makeServingCertificates, type ServingCertificates } from './backend.ts';
import { runBank } from './bank.ts';
import { runFlunder, runUsage } from './examples.ts';
import { KNOWN } from './known.ts';
import { runMetrics } from './metrics.ts';
import { runSdkServer } from './sdk-server.ts';
import { runSimple } from './simple.ts';
import { runWardle } from './wardle.ts';

type Part = (pair: Pair, folder: string, certificates: ServingCertificates) => Promise<readonly StepResult[]>;

/** The name of a part is the first word of the names of its scripts. */
const PARTS: Readonly<Record<string, Part>> = {
  wardle: runWardle,
  flunder: runFlunder,
  metrics: runMetrics,
  usage: runUsage,
  simple: runSimple,
  sdk: runSdkServer,
  bank: runBank,
};
/** Parts that register the same group run one after the other; the rows run side by side. */
const LANES = [
  ['wardle', 'flunder'],
  ['metrics', 'usage'],
  ['simple', 'sdk', 'bank'],
] as const;

/** The parts with the real kube-controller-manager beside both servers, and its loops. */
const MANAGED = ['flunder', 'usage'];
const LOOPS = ['namespace-controller', 'horizontal-pod-autoscaler-controller'];
const MANAGER_FLAGS = ['--horizontal-pod-autoscaler-sync-period=1s'];

const { values } = parseArgs({ options: { self: { type: 'boolean', default: false }, part: { type: 'string' } } });
const names = values.part?.split(',') ?? Object.keys(PARTS);
const unknown = names.filter((name) => PARTS[name] === undefined);
if (unknown.length > 0) throw new Error(`no part ${unknown.join()}; there are ${Object.keys(PARTS).join(', ')}`);
const candidate: Candidate = values.self ? 'reference' : 'keelson';
const known = values.self ? [] : KNOWN;
const partOf = ({ script }: StepResult): string => script.split('-')[0] ?? '';

/** Pods then need no ServiceAccount, which a controller would create. */
function flags(credentials: Credentials): readonly string[] {
  return ['--disable-admission-plugins=ServiceAccount', ...proxyClientFlags(credentials)];
}

/** Runs the parts on fresh servers. */
function runOnce(chosen: readonly string[]): Promise<readonly StepResult[]> {
  return onFreshPair(candidate, flags, async (pair) => {
    const folder = mkdtempSync(join(tmpdir(), 'compat-aggregation-'));
    const managers: ControllerManager[] = [];
    try {
      const certificates = await makeServingCertificates(folder);
      if (chosen.some((name) => MANAGED.includes(name)))
        for (const peer of [pair.reference, pair.candidate])
          managers.push(await startControllerManager(peer, LOOPS, MANAGER_FLAGS));
      const lanes = await Promise.allSettled(
        LANES.map(async (lane) => {
          const results: StepResult[] = [];
          for (const name of lane.filter((name) => chosen.includes(name)))
            results.push(...(await (PARTS[name] as Part)(pair, join(folder, name), certificates)));
          return results;
        }),
      );
      return lanes.flatMap((lane) => {
        if (lane.status === 'rejected') throw lane.reason;
        return lane.value;
      });
    } finally {
      for (const manager of managers) await manager.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

const started = performance.now();
const results = await differingTwice(await runOnce(names), {
  differing: (some) => differing(judgeLines(some, known).judged),
  partOf,
  nameOf: ({ script, line }) => `${script}: ${line}`,
  run: (parts) => runOnce([...parts]),
});
const { judged, outcome } = judgeLines(results, known);
printDifferences(judged);
printGroups(judged, ({ script }) => script);
console.log(
  `${outcome.agreed} of ${outcome.total} command lines agree, ${outcome.known} differ in known ways, ${outcome.unknown} otherwise; ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
const complaints = [
  ...(outcome.unknown > 0
    ? [`${outcome.unknown} command lines differ in ways that compat/aggregation/known.ts does not list`]
    : []),
  ...(values.part === undefined
    ? outcome.stale.map((id) => `"${id}" is listed in compat/aggregation/known.ts but no longer occurs`)
    : []),
  ...unlistedIds(KNOWN),
];
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const logs = join(ROOT, '.cache', 'compat');
mkdirSync(logs, { recursive: true });
const log = join(logs, 'aggregation.log');
writeFileSync(log, results.map(formatResult).join('\n'));
if (complaints.length > 0) console.log(`every command line and both outputs: ${log}`);
process.exitCode = complaints.length === 0 ? 0 : 1;
