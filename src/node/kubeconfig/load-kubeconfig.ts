/** The kubeconfig of the person who runs a command or program, found and read as kubectl does it. */
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { KubeconfigFile } from '../../client/kubeconfig.ts';
import { readTextFile } from '../platform.ts';

export interface FindKubeconfigOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files for people without KUBECONFIG, of which the first that exists counts. Default: `~/.kube/config`. */
  readonly fallbacks?: readonly string[] | undefined;
}

export interface FoundKubeconfig {
  readonly files: readonly KubeconfigFile[];
  /** Says why there are no files. */
  readonly problem: string;
}

/** Reads a file that must exist. Throws ConfigError. */
export async function readKubeconfigFile(path: string): Promise<KubeconfigFile> {
  const [found] = await existing([path]);
  if (found === undefined) throw new ConfigError(`the kubeconfig ${path} does not exist`);
  return found;
}

/** Reads the files in KUBECONFIG that exist, or the first fallback. Throws ConfigError if one cannot be read. */
export async function findKubeconfig({ env, fallbacks }: FindKubeconfigOptions): Promise<FoundKubeconfig> {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0)
    return { files: await existing(named), problem: `KUBECONFIG names ${named.join(', ')}, which does not exist` };
  const usual = fallbacks ?? [join(env['HOME'] ?? homedir(), '.kube', 'config')];
  const files = await existing(usual);
  return {
    files: files.slice(0, 1),
    problem: `no kubeconfig: set KUBECONFIG or name a file (${usual.join(', ')} does not exist)`,
  };
}

async function existing(paths: readonly string[]): Promise<readonly KubeconfigFile[]> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    const text = await readTextFile(path);
    if (text !== undefined) files.push({ path: resolve(path), text });
  }
  return files;
}
