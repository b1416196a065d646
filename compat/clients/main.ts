/**
 * Runs programs written with client-go, the JavaScript client, the Python client, kube-rs, kopf and fabric8 against our
 * server, and against the reference to check the programs themselves. `envtest` starts its servers itself.
 *
 * usage: main.ts [--client go,javascript,python,rust,kopf,java,envtest] [--reference-only] [--keelson-only]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';
import { runEnvtest } from './envtest.ts';
import {
  type ClientProgram,
  prepareGo,
  prepareJava,
  prepareJavaScript,
  prepareKopf,
  preparePython,
  prepareRust,
} from './prepare.ts';

const TIMEOUT = 90_000;
/** The client that starts its servers itself. */
const ENVTEST = 'envtest';
const PREPARE = {
  go: prepareGo,
  javascript: prepareJavaScript,
  python: preparePython,
  rust: prepareRust,
  kopf: prepareKopf,
  java: prepareJava,
} as const;

const { values } = parseArgs({
  options: {
    client: { type: 'string', default: [...Object.keys(PREPARE), ENVTEST].join(',') },
    'reference-only': { type: 'boolean', default: false },
    'keelson-only': { type: 'boolean', default: false },
  },
});
const chosen = values.client.split(',');
const programs = chosen
  .filter((name) => name !== ENVTEST)
  .map((name) => {
    const prepare = PREPARE[name as keyof typeof PREPARE];
    if (prepare === undefined)
      throw new Error(`no client ${name}; there are ${[...Object.keys(PREPARE), ENVTEST].join(', ')}`);
    return prepare();
  });

let failed = 0;
if (chosen.includes(ENVTEST))
  failed += await runEnvtest({ reference: !values['keelson-only'], keelson: !values['reference-only'] });
const folder = mkdtempSync(join(tmpdir(), 'compat-clients-'));
try {
  const credentials = await makeCredentials(folder);
  if (programs.length > 0 && !values['keelson-only']) await runAll(await startReference({ credentials }));
  if (programs.length > 0 && !values['reference-only']) await runAll(await startKeelson({ credentials }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed === 0 ? 'all clients succeeded' : `FAIL ${failed} runs of clients`);
process.exitCode = failed === 0 ? 0 : 1;

async function runAll(peer: Peer): Promise<void> {
  try {
    for (const program of programs) {
      console.log(`${program.name} against ${peer.name}`);
      const end = await run(program, peer);
      if (end === 0) continue;
      failed++;
      console.log(`FAIL ${program.name} against ${peer.name}: ended with ${end}`);
    }
  } finally {
    await peer.stop();
  }
}

/** Returns the exit code, or the signal that ended it. */
function run(program: ClientProgram, peer: Peer): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program.command, [...program.args, peer.kubeconfig('admin'), `clients-${program.name}`], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        // Checks what only our server guarantees; see the programs.
        ...(peer.name === 'keelson' ? { COMPAT_EXACT: '1' } : {}),
        ...program.env,
      },
      timeout: TIMEOUT,
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
}
