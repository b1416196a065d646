/**
 * Prepares the clients in .cache/clients: builds the Go, Rust and Java programs and installs the packages of the
 * others, at the versions named here or in the lock files beside the programs. None of them is a dependency of ours.
 * Invariant: what exists at the right version is kept, so only the first run needs a network.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { ROOT, requireTool } from '../peers/programs.ts';

/** The release line that runs on Node 20. */
const JAVASCRIPT = '@kubernetes/client-node@1.4.0';
const PYTHON = 'kubernetes==37.0.2';
const KOPF = 'kopf==1.45.2';

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
  console.log(`installing the packages of ${basename(folder)}`);
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
  return preparePythonProgram('python', [PYTHON]);
}

/** An operator framework. Its program uses the Python client as the operator's user. */
export function prepareKopf(): ClientProgram {
  return preparePythonProgram('kopf', [KOPF, PYTHON]);
}

function preparePythonProgram(name: string, packages: readonly string[]): ClientProgram {
  requireTool('python3', ['-m', 'venv', '--help'], `the program ${name} needs python3 with venv on the PATH`);
  const folder = join(cache, name);
  const python = join(folder, 'bin', 'python3');
  installOnce(folder, packages.join(' '), () => {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], {
      stdio: 'inherit',
    });
  });
  return { name, command: python, args: [join(sources, name, 'program.py')], env: {} };
}

/** Cargo builds only what changed. The first build takes minutes. */
export function prepareRust(): ClientProgram {
  requireTool('cargo', ['--version'], 'the kube-rs program needs Rust 1.89 on the PATH');
  const target = join(cache, 'rust');
  execFileSync('cargo', ['build', '--locked', '--quiet'], {
    cwd: join(sources, 'rust'),
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_DIR: target },
  });
  return { name: 'kube-rs', command: join(target, 'debug', 'kube-rs-client'), args: [], env: {} };
}

/** Maven only collects the libraries. javac takes seconds, so the program is compiled every time. */
export function prepareJava(): ClientProgram {
  requireTool('javac', ['--version'], 'the fabric8 program needs a JDK 17 on the PATH');
  requireTool('mvn', ['--version'], 'the fabric8 program needs Maven on the PATH');
  const from = join(sources, 'java');
  const libraries = join(cache, 'java');
  installOnce(libraries, readFileSync(join(from, 'pom.xml'), 'utf8'), () => {
    execFileSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${libraries}`], {
      cwd: from,
      stdio: 'inherit',
    });
  });
  const classes = join(cache, 'java-classes');
  rmSync(classes, { recursive: true, force: true });
  const classPath = join(libraries, '*');
  const files = readdirSync(join(from, 'src')).map((file) => join(from, 'src', file));
  execFileSync('javac', ['--release', '17', '-d', classes, '-cp', classPath, ...files], { stdio: 'inherit' });
  const paths = [classes, join(from, 'resources'), classPath].join(delimiter);
  return { name: 'fabric8', command: 'java', args: ['-cp', paths, 'Program'], env: {} };
}
