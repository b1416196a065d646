/**
 * Runs controllers that other projects wrote against our server: the original sample-controller, informers of client-go
 * and a manager of controller-runtime through restarts of the server, and kube-controller-manager with our loops off.
 * sample-controller also runs against the reference, to check the part itself. `loops` compares both servers.
 *
 * usage: main.ts [--full] [--part sample-controller,restarts,controller-manager,loops] [--restarts N] [--self]
 *   --full   with quotas of custom resources, for which kube-controller-manager waits up to two minutes
 *   --self   loops compares two references: every difference is noise of this suite
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareLoops } from './compare-loops.ts';
import { runControllerManager } from './controller-manager.ts';
import { runRestarts } from './restarts.ts';
import { runSampleController } from './sample-controller.ts';
import { failures } from './steps.ts';

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: 'sample-controller,restarts,controller-manager,loops' },
    restarts: { type: 'string', default: '4' },
    self: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
  },
});
const PARTS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  'sample-controller': runSampleController,
  restarts: (folder) => runRestarts(folder, Number(values.restarts)),
  'controller-manager': runControllerManager,
  loops: () => compareLoops(values.self ? 'reference' : 'keelson', values.full),
};

for (const name of values.part.split(',')) {
  const run = PARTS[name];
  if (run === undefined) throw new Error(`no part ${name}; there are ${Object.keys(PARTS).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'compat-controllers-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(failures() === 0 ? 'all controllers succeeded' : `FAIL ${failures()} steps`);
process.exitCode = failures() === 0 ? 0 : 1;
