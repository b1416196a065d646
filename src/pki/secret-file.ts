/**
 * Files that only their owner may read.
 * Invariant: a path holds either all of the old content or all of the new, also after a crash, and other users can read
 * neither at any time.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigError, toError } from '../base/errors.ts';

/**
 * Writes a temporary file next to the target, syncs it, renames it and syncs the folder. Throws ConfigError naming the
 * path.
 */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  await writeSecretFiles(dirname(path), [[basename(path), content]]);
}

/** Writes several files of one folder, each atomically, in no defined order. All are durable when it resolves. */
export async function writeSecretFiles(
  folder: string,
  files: readonly (readonly [name: string, content: string])[],
): Promise<void> {
  if (files.length === 0) return;
  await Promise.all(files.map(([name, content]) => place(folder, name, content)));
  try {
    await syncFolder(folder);
  } catch (caught) {
    throw cannot('sync', folder, caught);
  }
}

async function place(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name);
  const draft = join(folder, `.${name}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (caught) {
    // Removing the draft fails if it was never created; the first error is the one to report.
    await unlink(draft).catch(() => undefined);
    throw cannot('write', path, caught);
  }
}

/**
 * Creates the folder and its parents with mode 0700. An existing folder keeps its mode. Throws ConfigError naming it.
 */
export async function ensureSecretFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (caught) {
    throw cannot('create the folder', path, caught);
  }
}

/** Like `mkdir` with `recursive`, which never returns where the system answers ENOENT below a folder, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) await makeFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (caught) {
    // Another caller may have created it meanwhile.
    if (codeOf(caught) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw caught;
  }
}

export interface ReadFile {
  readonly content: string;
  /** Users other than the owner may read it. Always false on Windows, which has no such mode bits. */
  readonly exposed: boolean;
}

/**
 * Reads a file; undefined if it does not exist. Throws ConfigError naming the path if it cannot be read or is larger
 * than 1 MiB.
 */
export async function readSmallFile(path: string): Promise<ReadFile | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const { mode, size } = await file.stat();
      if (size > 2 ** 20) throw new ConfigError(`${path} is too large to be a key or a certificate`);
      const content = await file.readFile('utf8');
      return { content, exposed: process.platform !== 'win32' && (mode & 0o077) !== 0 };
    } finally {
      await file.close();
    }
  } catch (caught) {
    if (codeOf(caught) === 'ENOENT') return undefined;
    throw caught instanceof ConfigError ? caught : cannot('read', path, caught);
  }
}

/**
 * Returns whether users other than the owner may access the folder. Throws ConfigError naming the path if its mode
 * cannot be read.
 */
export async function isExposedFolder(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    return ((await stat(path)).mode & 0o077) !== 0;
  } catch (caught) {
    throw cannot('read', path, caught);
  }
}

/** Makes the renames in a folder durable. Windows neither needs nor allows it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function cannot(verb: string, path: string, caught: unknown): ConfigError {
  return new ConfigError(`cannot ${verb} ${path}: ${toError(caught).message}`, { cause: caught });
}

function codeOf(caught: unknown): string | undefined {
  return (toError(caught) as NodeJS.ErrnoException).code;
}
