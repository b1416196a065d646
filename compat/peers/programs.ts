/** The reference programs. A missing program is built; a missing tool is a failure with one sentence, never a skip. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Program =
  | 'etcd'
  | 'etcdutl'
  | 'etcd-3.5'
  | 'etcd-3.4'
  | 'kubectl'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'sample-controller'
  | 'sample-apiserver'
  | 'metrics-server'
  | 'cert-manager-webhook'
  | 'gatekeeper'
  | 'helm'
  | 'helm4'
  | 'h2spec'
  | 'libfaketime';

/** The repository. Bundles run from .cache/run/compat/<suite>/. */
export const ROOT: string = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));

/** The folder that build.sh writes to. KEELSON_PEERS changes it. */
export const PEERS: string = process.env['KEELSON_PEERS'] ?? join(ROOT, '.cache', 'peers');

/** Returns the path of a program. Builds it if it is missing, which takes minutes. Throws if Go is missing. */
export function program(name: Program): string {
  const path = join(PEERS, 'bin', name);
  if (existsSync(path)) return path;
  requireTool('go', ['version'], `${name} is not built yet, and building it needs Go 1.26 on the PATH`);
  console.log(`building ${name} (minutes, once)`);
  execFileSync('sh', [join(ROOT, 'compat', 'peers', 'build.sh'), name], { stdio: 'inherit' });
  return path;
}

/** Throws `sentence` if the tool does not run. */
export function requireTool(tool: string, args: readonly string[], sentence: string): void {
  if (spawnSync(tool, args, { stdio: 'ignore' }).status !== 0) throw new Error(sentence);
}

/**
 * Returns the built command of Keelson. Builds it if `dist` is missing. KEELSON_CLI names another one, such as that of
 * an installed package.
 */
export function keelsonCli(): string {
  const other = process.env['KEELSON_CLI'];
  if (other !== undefined) return other;
  const path = join(ROOT, 'dist', 'cli', 'main.js');
  if (!existsSync(path)) execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  if (!existsSync(path)) throw new Error('npm run build made no dist/cli/main.js');
  return path;
}
