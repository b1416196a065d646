/**
 * controller-runtime under envtest: a small operator whose tests start their servers themselves, from a folder of
 * programs. Ours are the folder that `keelson envtest` writes, and a link called kube-apiserver beside a real etcd.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keelsonCli, program, ROOT, requireTool } from '../peers/programs.ts';

export interface EnvtestOptions {
  readonly reference: boolean;
  readonly keelson: boolean;
}

interface Assets {
  readonly name: string;
  /** Writes the programs to an empty folder. */
  prepare(folder: string): void;
  /** The tests to run, as Go's `-test.run`. */
  readonly tests: string;
}

const sources = join(ROOT, 'compat', 'clients', 'envtest');
const TIMEOUT = 300_000;

function link(folder: string, programs: Readonly<Record<string, string>>): void {
  for (const [name, path] of Object.entries(programs)) symlinkSync(path, join(folder, name));
}

const REFERENCE: Assets = {
  name: 'the reference',
  prepare: (folder) =>
    link(folder, {
      'kube-apiserver': program('kube-apiserver'),
      etcd: program('etcd'),
      kubectl: program('kubectl'),
    }),
  tests: '.',
};

const OURS: readonly Assets[] = [
  {
    name: 'the folder of keelson envtest',
    prepare: (folder) => {
      // The kubectl of the suite comes first, so that the run does not depend on the machine's.
      const path = `${join(program('kubectl'), '..')}:${process.env['PATH'] ?? ''}`;
      execFileSync(process.execPath, [keelsonCli(), 'envtest', folder], { env: { ...process.env, PATH: path } });
    },
    tests: '.',
  },
  {
    name: 'a link to keelson beside a real etcd',
    prepare: (folder) =>
      link(folder, { 'kube-apiserver': keelsonCli(), etcd: program('etcd'), kubectl: program('kubectl') }),
    tests: 'TestObjectsAndWatches|TestTwoServers',
  },
];

/** Builds the tests and runs them with each folder of programs. Returns the number of runs that failed. */
export async function runEnvtest({ reference, keelson }: EnvtestOptions): Promise<number> {
  const binary = build();
  let failed = 0;
  for (const assets of [...(reference ? [REFERENCE] : []), ...(keelson ? OURS : [])]) {
    console.log(`controller-runtime under envtest with ${assets.name}`);
    const folder = mkdtempSync(join(tmpdir(), 'compat-envtest-'));
    try {
      assets.prepare(folder);
      const end = await run(binary, folder, assets.tests);
      if (end === 0) continue;
      failed++;
      console.log(`FAIL controller-runtime under envtest with ${assets.name}: ended with ${end}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return failed;
}

function build(): string {
  requireTool('go', ['version'], 'controller-runtime under envtest needs Go 1.26 on the PATH');
  const cache = join(ROOT, '.cache', 'clients');
  mkdirSync(cache, { recursive: true });
  const binary = join(cache, 'envtest.test');
  execFileSync('go', ['test', '-c', '-o', binary, '.'], {
    cwd: sources,
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  return binary;
}

/** Returns the exit code, or the signal that ended it. */
function run(binary: string, assets: string, tests: string): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, ['-test.v', `-test.run=${tests}`], {
      cwd: sources,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { PATH: process.env['PATH'] ?? '', HOME: assets, KUBEBUILDER_ASSETS: assets },
      timeout: TIMEOUT,
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
}
