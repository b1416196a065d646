/** The kubeconfig of the person who runs a command, found and read as kubectl does it. */
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { type KubeconfigContext, type KubeconfigFile, readKubeconfig } from '../../client/kubeconfig.ts';
import { readTextFile } from '../platform.ts';

export interface LoadKubeconfigOptions {
  /** A file that must exist. Default: the files in KUBECONFIG that exist, or the first of `fallbacks` that exists. */
  readonly file?: string;
  /** Default: the current context. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files for people without KUBECONFIG. Default: `~/.kube/config`. */
  readonly fallbacks?: readonly string[];
}

/** Throws ConfigError if there is no file, or if it cannot be used. */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<KubeconfigContext> {
  const files = await filesOf(options);
  return readKubeconfig(files, options.context);
}

async function filesOf({ file, env, fallbacks }: LoadKubeconfigOptions): Promise<readonly KubeconfigFile[]> {
  if (file !== undefined) {
    const [found] = await existing([file]);
    if (found === undefined) throw new ConfigError(`--kubeconfig: ${file} does not exist`);
    return [found];
  }
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0) {
    const found = await existing(named);
    if (found.length === 0) throw new ConfigError(`KUBECONFIG names ${named.join(', ')}, which does not exist`);
    return found;
  }
  const usual = fallbacks ?? [join(env['HOME'] ?? homedir(), '.kube', 'config')];
  const [first] = await existing(usual);
  if (first === undefined)
    throw new ConfigError(`no kubeconfig: set KUBECONFIG or --kubeconfig (${usual.join(', ')} does not exist)`);
  return [first];
}

async function existing(paths: readonly string[]): Promise<readonly KubeconfigFile[]> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    const text = await readTextFile(path);
    if (text !== undefined) files.push({ path: resolve(path), text });
  }
  return files;
}
