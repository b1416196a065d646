/**
 * Runs the examples of operators and webhooks from the packed package, unchanged, against our server and against the reference, with
 * the real kubectl beside them. `--only NAME` runs one example, `--server NAME` uses one server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startKeelson } from '../peers/keelson.ts';
import { runKubectl } from '../peers/kubectl.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { program } from '../peers/programs.ts';
import { startReference } from '../peers/reference.ts';
import { type KubectlStep, OPERATOR_EXAMPLES, type OperatorExample, type Step } from './operator-steps.ts';
import { type ExampleProjects, installExamples } from './project.ts';

const EVENTUALLY_MS = 20_000;
const { values } = parseArgs({ options: { only: { type: 'string' }, server: { type: 'string' } } });

interface Session {
  readonly peer: Peer;
  /** The folder of the example. */
  readonly folder: string;
  /** kubectl's HOME. */
  readonly home: string;
  /** The base URL of the program's pages, or of its webhooks. */
  pages: string;
}

let passed = 0;
let failed = 0;

function report(ok: boolean, what: string, details: string): void {
  if (ok) passed++;
  else failed++;
  if (!ok) console.log(`FAIL ${what}\n${details}`);
}

/** Runs a step again until it prints what it should, or the time is up. */
async function runStep(session: Session, step: Step): Promise<void> {
  const what = 'page' in step ? `GET ${step.page}` : `kubectl ${step.args.join(' ')}`;
  const end = Date.now() + EVENTUALLY_MS;
  for (;;) {
    const text = 'page' in step ? await getPage(session, step.page) : await callKubectl(session, step);
    if (step.prints.test(text)) return report(true, what, '');
    if (Date.now() > end) return report(false, `${session.peer.name}: ${what}`, text);
    await sleep(100);
  }
}

async function getPage({ pages }: Session, page: string): Promise<string> {
  const response = await fetch(`${pages}${page}`);
  return `${response.status} ${await response.text()}`;
}

async function callKubectl({ peer, folder, home }: Session, step: KubectlStep): Promise<string> {
  const { args, stdin } = step;
  const kubeconfig = peer.kubeconfig('admin');
  const answer = await runKubectl({
    kubeconfig,
    home,
    cwd: folder,
    args,
    ...(stdin === undefined ? {} : { stdin }),
  });
  return `${answer.stdout}${answer.stderr}`;
}

async function startOperator(
  folder: string,
  peer: Peer,
): Promise<{ child: ChildProcess; pages: string; output(): string }> {
  const child = spawn(process.execPath, ['main.js'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: peer.kubeconfig('admin') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const end = Date.now() + EVENTUALLY_MS;
  for (;;) {
    const pages = /(?:pages|webhooks) are served at (\S+)/.exec(output)?.[1];
    if (pages !== undefined) return { child, pages, output: () => output };
    if (Date.now() > end || child.exitCode !== null) throw new Error(`the operator did not start:\n${output}`);
    await sleep(50);
  }
}

async function runExample(example: OperatorExample, folder: string, peer: Peer): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'compat-operator-'));
  const session: Session = { peer, folder, home, pages: '' };
  try {
    for (const step of example.before) await runStep(session, step);
    const started = await startOperator(folder, peer);
    session.pages = started.pages;
    const { child } = started;
    const before = failed;
    try {
      for (const step of example.steps) await runStep(session, step);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await Promise.race([exit, sleep(EVENTUALLY_MS).then(() => ['timeout'])])) as [unknown];
      report(code === 0, `${peer.name}: ${example.name} ended with ${String(code)} after SIGTERM`, '');
    } finally {
      child.kill('SIGKILL');
      if (failed > before) console.log(started.output().slice(-4000));
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

program('kubectl');
const credentialFolder = mkdtempSync(join(tmpdir(), 'compat-credentials-'));
const credentials = await makeCredentials(credentialFolder);
const examples = OPERATOR_EXAMPLES.filter(({ name }) => (values.only ?? name) === name);
const projects: ExampleProjects = installExamples(examples.map(({ name }) => name));
try {
  for (const example of examples) {
    const folder = projects.folder(example.name);
    if (example.hasTests) {
      const child = spawn(process.execPath, ['--test'], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code] = (await once(child, 'exit')) as [number | null];
      report(code === 0, `the tests of ${example.name} ended with ${code}`, '');
    }
    for (const [name, start] of [
      ['keelson', startKeelson],
      ['reference', startReference],
    ] as const) {
      if ((values.server ?? name) !== name) continue;
      const peer = await start({ credentials });
      const before = { passed, failed };
      try {
        await runExample(example, folder, peer);
      } finally {
        await peer.stop();
      }
      console.log(`${example.name} on ${name}: ${passed - before.passed} passed, ${failed - before.failed} failed`);
    }
  }
} finally {
  projects.remove();
  rmSync(credentialFolder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
