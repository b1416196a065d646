/**
 * Restores a backup into a data folder.
 * Invariants: nothing changes before the copy is complete and verified. A server does not start while a restore is
 * unfinished, and running the restore again finishes it.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { ensureSecretFolder } from '../../pki/secret-file.ts';
import { StorageError } from '../../storage/errors.ts';
import { verifyCopy } from '../../storage/lmdb/copy-store.ts';
import { syncFolder } from '../../storage/lmdb/folder.ts';
import { lockFolder } from '../../storage/lmdb/folder-lock.ts';
import { restartHistory } from '../../storage/lmdb/restart-history.ts';
import { type BackupManifest, checkFiles, readManifest } from './backup-manifest.ts';
import { moveIn } from './move-in.ts';
import { STAGED } from './restore-state.ts';

export interface RestoreOptions {
  /** The folder of a backup. */
  readonly backup: string;
  /** The data folder to fill. It is created if it does not exist. */
  readonly dataDir: string;
  /** Whether to replace the store, the keys and the admin's kubeconfig of a folder that is not empty. */
  readonly replace: boolean;
}

export interface RestoreReport extends BackupManifest {
  /** The revision after which new writes continue. */
  readonly nextRevision: number;
}

/** Entries of a data folder that counts as empty. */
const HARMLESS: ReadonlySet<string> = new Set(['lock', '.gitignore', 'lost+found', STAGED]);

/**
 * Restores a backup. Throws ConfigError if the backup or the data folder cannot be used, and StorageError `Corrupt` if
 * the backup is damaged.
 */
export async function restoreDataFolder(options: RestoreOptions): Promise<RestoreReport> {
  const backup = resolve(options.backup);
  const dataDir = resolve(options.dataDir);
  const manifest = await readManifest(backup);
  await checkFiles(backup, manifest);
  await ensureSecretFolder(dataDir);
  const release = lockFolder(dataDir);
  const staged = join(dataDir, STAGED);
  try {
    checkTarget(dataDir, options.replace);
    rmSync(staged, { recursive: true, force: true });
    await copyParts(backup, staged, manifest);
    const nextRevision = await prepareStore(join(staged, 'storage'), backup, manifest);
    const releaseStore = lockStore(join(dataDir, 'storage'));
    try {
      moveIn(dataDir, staged);
    } finally {
      releaseStore();
    }
    return { ...manifest, nextRevision };
  } finally {
    rmSync(staged, { recursive: true, force: true });
    release();
  }
}

function checkTarget(dataDir: string, replace: boolean): void {
  const used = readdirSync(dataDir).filter((name) => !HARMLESS.has(name));
  if (used.length > 0 && !replace)
    throw new ConfigError(
      `data folder ${dataDir} is not empty (${used.slice(0, 3).join(', ')}): name an empty one, or replace its contents with --replace`,
    );
}

async function copyParts(backup: string, staged: string, manifest: BackupManifest): Promise<void> {
  for (const name of Object.keys(manifest.files)) {
    const path = join(staged, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await copyFile(join(backup, name), path);
    await makeDurable(path);
  }
  for (const name of readdirSync(staged)) syncFolder(join(staged, name));
  await checkFiles(staged, manifest);
}

/** Sets the mode of a file that only its owner may read, and syncs it. */
async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Verifies the copied store and starts a new history in it. Returns the new revision of the store. */
async function prepareStore(folder: string, backup: string, { revision, objects }: BackupManifest): Promise<number> {
  const found = await verifyCopy(folder, backup);
  if (found.revision !== revision || found.keys !== objects)
    throw new StorageError(
      'Corrupt',
      `the backup has ${found.keys} objects at revision ${found.revision}; its manifest says ${objects} at ${revision}`,
    );
  const next = await restartHistory(folder);
  await verifyCopy(folder);
  return next;
}

/** Locks the folder of the store, which programs that embed only the store use without the data folder. */
function lockStore(folder: string): () => void {
  return existsSync(folder) ? lockFolder(folder) : () => undefined;
}
