/**
 * The folder of programs that Go's envtest starts (`KUBEBUILDER_ASSETS`): `kube-apiserver`, `etcd` and `kubectl`. The
 * first two are shell scripts that start this package. Invariant: a file that another program wrote is not replaced.
 */
import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { ConfigError, isConfigError, toError } from '../base/errors.ts';
import { shellQuote } from './start-message.ts';

/** The second line of every script. A file with this line is a script of an earlier run and may be replaced. */
const MARK = '# Written by "keelson envtest".';

export interface EnvtestAssetsOptions {
  readonly folder: string;
  /** The absolute paths of Node and of the command, which the scripts start. */
  readonly node: string;
  readonly command: string;
  /** Folders in which kubectl is searched, as in the environment variable PATH. */
  readonly path: string;
}

export interface EnvtestAssets {
  /** An absolute path. */
  readonly folder: string;
  /** The kubectl that the folder links to or already has; undefined if there is none. */
  readonly kubectl: string | undefined;
}

/**
 * Writes the folder, which may exist, and replaces scripts and link of an earlier run. Throws ConfigError if the folder
 * has a kube-apiserver or etcd of another origin, or if it cannot be written.
 */
export async function writeEnvtestAssets(options: EnvtestAssetsOptions): Promise<EnvtestAssets> {
  const folder = resolve(options.folder);
  const scripts = [
    { name: 'kube-apiserver', text: script(options, ['kube-apiserver', '--storage=memory']) },
    { name: 'etcd', text: script(options, ['envtest-etcd']) },
  ];
  try {
    await mkdir(folder, { recursive: true });
    for (const { name } of scripts) refuseForeign(join(folder, name));
    for (const { name, text } of scripts) await replaceScript(join(folder, name), text);
    return { folder, kubectl: await linkKubectl(folder, options.path) };
  } catch (caught) {
    const cause = toError(caught);
    if (isConfigError(cause)) throw cause;
    throw new ConfigError(`cannot write the folder ${folder}: ${cause.message}`, { cause });
  }
}

/** The script falls back to `node` in PATH, because an upgrade may remove the Node that wrote the script. */
function script({ node, command }: EnvtestAssetsOptions, args: readonly string[]): string {
  return [
    '#!/bin/sh',
    MARK,
    `node=${shellQuote(node)}`,
    '[ -x "$node" ] || node=node',
    `exec "$node" ${shellQuote(command)} ${args.join(' ')} "$@"`,
    '',
  ].join('\n');
}

function refuseForeign(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && found.size < 4096 && readFileSync(path, 'utf8').includes(MARK))) return;
  throw new ConfigError(`${path} exists and was not written by keelson envtest: choose another folder, or remove it`);
}

/** Replaces the file by a rename, so that a test that starts it at the same time reads a complete script. */
async function replaceScript(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o755 });
  await rename(draft, path);
}

/**
 * Links to the first kubectl in PATH and returns its path. Keeps a kubectl that is not a link. Returns undefined if
 * there is no kubectl in PATH or in the folder.
 */
async function linkKubectl(folder: string, path: string): Promise<string | undefined> {
  const link = join(folder, 'kubectl');
  const present = lstatSync(link, { throwIfNoEntry: false });
  if (present !== undefined && !present.isSymbolicLink()) return link;
  const found = findProgram('kubectl', path, folder);
  if (found === undefined) return present !== undefined && isProgram(link) ? link : undefined;
  await rm(link, { force: true });
  await symlink(found, link);
  return found;
}

/** Returns the first program of this name in the folders of PATH other than `except`. */
function findProgram(name: string, path: string, except: string): string | undefined {
  const folders = path.split(delimiter).filter((entry) => entry !== '' && resolve(entry) !== except);
  return folders.map((entry) => join(resolve(entry), name)).find(isProgram);
}

function isProgram(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The only expected failure: the file may not be executed.
    return false;
  }
}
