/**
 * Webhooks of other projects, built unchanged from their Go modules and registered with the reference and with our
 * server: cert-manager's webhook, and Gatekeeper with its controllers. The real kubectl drives both servers; exit code,
 * standard output and standard error of each command line are compared.
 *
 * usage: main.ts [--self] [--part cert-manager,gatekeeper]
 *   --self   compares two references: every difference is noise of this suite
 * Fails on a difference that occurs again on fresh servers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeServingCertificates, type ServingCertificates } from '../aggregation/backend.ts';
import { differing, printGroups } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { formatResult, judgeLines, printDifferences } from '../kubectl/report.ts';
import type { StepResult } from '../kubectl/run.ts';
import { onFreshPair, type Pair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { runCertManager } from './cert-manager.ts';
import { runGatekeeper } from './gatekeeper.ts';

type Part = (pair: Pair, folder: string, certificates: ServingCertificates) => Promise<readonly StepResult[]>;

/** The name of a part begins the names of its scripts. */
const PARTS: Readonly<Record<string, Part>> = { 'cert-manager': runCertManager, gatekeeper: runGatekeeper };
/** Pods then need no ServiceAccount, which a controller would create. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];

const { values } = parseArgs({ options: { self: { type: 'boolean', default: false }, part: { type: 'string' } } });
const names = values.part?.split(',') ?? Object.keys(PARTS);
const unknown = names.filter((name) => PARTS[name] === undefined);
if (unknown.length > 0) throw new Error(`no part ${unknown.join()}; there are ${Object.keys(PARTS).join(', ')}`);

/** Runs each part on fresh servers: Gatekeeper is asked about every write, those of other parts included. */
async function runOnce(chosen: readonly string[]): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const name of chosen)
    await onFreshPair(values.self ? 'reference' : 'keelson', FLAGS, async (pair) => {
      const folder = mkdtempSync(join(tmpdir(), 'compat-webhooks-'));
      try {
        const certificates = await makeServingCertificates(folder);
        results.push(...(await (PARTS[name] as Part)(pair, join(folder, name), certificates)));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  return results;
}

const started = performance.now();
const results = await differingTwice(await runOnce(names), {
  differing: (some) => differing(judgeLines(some, []).judged),
  partOf: ({ script }) => names.find((name) => script.startsWith(name)) ?? '',
  nameOf: ({ script, line }) => `${script}: ${line}`,
  run: (parts) => runOnce([...parts]),
});
const { judged, outcome } = judgeLines(results, []);
printDifferences(judged);
printGroups(judged, ({ script }) => script);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${outcome.agreed} of ${outcome.total} command lines agree; ${seconds} s`);
const logs = join(ROOT, '.cache', 'compat');
mkdirSync(logs, { recursive: true });
const log = join(logs, 'webhooks.log');
writeFileSync(log, results.map(formatResult).join('\n'));
if (outcome.unknown > 0) console.log(`FAIL ${outcome.unknown} command lines differ; all of them: ${log}`);
process.exitCode = outcome.unknown === 0 ? 0 : 1;
