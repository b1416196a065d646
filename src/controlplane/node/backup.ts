/**
 * Makes backups of a data folder: the store, and the keys and certificates that a server needs to start again with the
 * same identity. A server may use the folder meanwhile.
 * Invariant: the target exists only if the backup is complete and verified.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError, toError } from '../../base/errors.ts';
import { ensureSecretFolder, writeSecretFile } from '../../pki/secret-file.ts';
import { copyStore } from '../../storage/lmdb/copy-store.ts';
import { syncFolder } from '../../storage/lmdb/folder.ts';
import { type BackupFile, type BackupManifest, describeFile, formatManifest, MANIFEST } from './backup-manifest.ts';

export interface BackupOptions {
  /** The data folder of a server. */
  readonly dataDir: string;
  /** The folder to create. It must not exist, or must be empty. */
  readonly target: string;
  /** The version of this program. */
  readonly version: string;
  readonly now: number;
}

const ATTEMPTS = 10;

/**
 * Makes a backup. Throws ConfigError if the data folder holds no store or the target cannot be used, and StorageError
 * `Corrupt` if the store is damaged.
 */
export async function backUpDataFolder(options: BackupOptions): Promise<BackupManifest> {
  const dataDir = resolve(options.dataDir);
  const target = resolve(options.target);
  if (!existsSync(join(dataDir, 'storage', 'data.mdb')))
    throw new ConfigError(
      `data folder ${dataDir} holds no stored objects: no server was started with it, or only with --storage=memory`,
    );
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new ConfigError(`${target} exists and is not empty: name another folder for the backup`);
  await ensureSecretFolder(dirname(target));
  const draft = await mkdtemp(join(dirname(target), `.${basename(target)}.partial-`));
  try {
    const { revision, keys } = await copyStore(join(dataDir, 'storage'), join(draft, 'storage'));
    await copyKeys(join(dataDir, 'pki'), join(draft, 'pki'));
    const created = new Date(options.now).toISOString();
    const files = await describeAll(draft);
    const manifest: BackupManifest = { keelson: options.version, created, revision, objects: keys, files };
    await writeSecretFile(join(draft, MANIFEST), formatManifest(manifest));
    await rename(draft, target);
    syncFolder(dirname(target));
    return manifest;
  } catch (caught) {
    await rm(draft, { recursive: true, force: true });
    throw caught;
  }
}

/**
 * Copies the files of a PKI folder, if there is one. The files are read until two reads are equal, because a server may
 * renew certificates meanwhile.
 */
async function copyKeys(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  let files = await readKeys(from);
  for (let attempt = 0; ; attempt++) {
    const again = await readKeys(from);
    if (isEqual(files, again)) break;
    if (attempt === ATTEMPTS) throw new ConfigError(`the files of ${from} keep changing: try again`);
    files = again;
  }
  await mkdir(to, { mode: 0o700 });
  for (const [name, content] of files) await writeDurably(join(to, name), content);
  syncFolder(to);
}

/**
 * Reads the files by name. Names that begin with a dot are skipped: they are drafts of files that a server is writing.
 */
async function readKeys(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && /^[\w-][\w.-]*$/.test(entry.name)).map(({ name }) => name);
  const read = names.sort().map(async (name) => [name, await readKey(join(folder, name))] as const);
  return new Map(await Promise.all(read));
}

async function readKey(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (caught) {
    throw new ConfigError(`cannot read ${path}: ${toError(caught).message}`, { cause: caught });
  }
}

function isEqual(a: ReadonlyMap<string, Buffer>, b: ReadonlyMap<string, Buffer>): boolean {
  return a.size === b.size && [...a].every(([name, content]) => b.get(name)?.equals(content));
}

async function writeDurably(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function describeAll(folder: string): Promise<BackupManifest['files']> {
  const files: Record<string, BackupFile> = {};
  for (const part of ['storage', 'pki']) {
    const names = existsSync(join(folder, part)) ? await readdir(join(folder, part)) : [];
    for (const name of names.sort()) files[`${part}/${name}`] = await describeFile(join(folder, part, name));
  }
  return files;
}
