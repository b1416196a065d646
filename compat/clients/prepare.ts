/**
 * Prepares the clients in .cache/clients: builds the Go program and installs the JavaScript and Python clients at the
 * versions named here. None of them is a dependency of ours. Invariant: what exists at the right version is kept, so
 * only the first run needs a network.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, requireTool } from '../peers/programs.ts';

/** The release line that runs on Node 20. */
const JAVASCRIPT = '@kubernetes/client-node@1.4.0';
const PYTHON = 'kubernetes==37.0.2';

export interface ClientProgram {
  readonly name: string;
  readonly command: string;
  /** The arguments before the kubeconfig and the namespace. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const sources = join(ROOT, 'compat', 'clients');
const cache = join(ROOT, '.cache', 'clients');

/** Runs `install` in an empty folder, unless the folder already has this version. */
function installOnce(folder: string, version: string, install: () => void): void {
  const stamp = join(folder, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.log(`installing ${version}`);
  install();
  writeFileSync(stamp, version);
}

export function prepareGo(): ClientProgram {
  requireTool('go', ['version'], 'the client-go program needs Go 1.26 on the PATH');
  mkdirSync(cache, { recursive: true });
  const binary = join(cache, 'client-go');
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: join(sources, 'go'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  return { name: 'client-go', command: binary, args: [], env: {} };
}

export function prepareJavaScript(): ClientProgram {
  const folder = join(cache, 'javascript');
  installOnce(folder, JAVASCRIPT, () => {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', JAVASCRIPT], {
      cwd: folder,
      stdio: 'inherit',
    });
  });
  // Imports are resolved from the folder of the program, so the program is copied beside its packages.
  const program = join(folder, 'program.mjs');
  copyFileSync(join(sources, 'javascript', 'program.mjs'), program);
  return { name: 'javascript', command: process.execPath, args: [program], env: {} };
}

export function preparePython(): ClientProgram {
  requireTool('python3', ['-m', 'venv', '--help'], 'the Python client needs python3 with venv on the PATH');
  const folder = join(cache, 'python');
  const python = join(folder, 'bin', 'python3');
  installOnce(folder, PYTHON, () => {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PYTHON], {
      stdio: 'inherit',
    });
  });
  return { name: 'python', command: python, args: [join(sources, 'python', 'program.py')], env: {} };
}
