/**
 * Copies the store of a data folder. Any process may make a copy, also while a server uses the folder. LMDB writes the
 * copy from one read transaction, so the copy is the state of one revision, and writers are not blocked.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import { checkLiveDataFile } from './data-file.ts';
import { DATA_FILE, FILE_MODE, readMark, syncFolder, writeMark } from './folder.ts';
import { mediumError, openError } from './medium-error.ts';
import { type FolderReport, verifyFolder } from './verify.ts';

const LEAST_MAP_BYTES = 2 ** 30;

/** The methods of lmdb's environment that a copy needs. */
interface CopyableRoot {
  backup(path: string, compact: boolean): Promise<void>;
  close(): Promise<void>;
}

/**
 * Copies the store of a folder into a new folder with mode 0700, without unused pages, and verifies the copy. Throws
 * ConfigError if there is no store or if the target exists, and StorageError(Corrupt) if the copy is damaged, because
 * then the store is damaged, too. Removes the target on failure.
 */
export async function copyStore(source: string, target: string): Promise<FolderReport> {
  const [from, to] = [resolve(source), resolve(target)];
  const dataFile = join(from, DATA_FILE);
  if (!existsSync(dataFile)) throw new ConfigError(`data folder ${from} holds no store`);
  mkdirSync(to, { mode: 0o700 });
  try {
    readMark(from);
    checkLiveDataFile(dataFile);
    await copyDataFile(dataFile, join(to, DATA_FILE));
    writeMark(to);
    return await verifyCopy(to, from);
  } catch (caught) {
    rmSync(to, { recursive: true, force: true });
    throw openError(caught, from);
  }
}

/**
 * Verifies a store that no other process uses, and removes LMDB's lock file. Throws StorageError(Corrupt) with the
 * first problem. `shown` is the folder that the message names.
 */
export async function verifyCopy(folder: string, shown: string = folder): Promise<FolderReport> {
  const report = await verifyFolder(folder);
  rmSync(join(folder, `${DATA_FILE}-lock`), { force: true });
  const [problem] = report.problems;
  if (problem === undefined) return report;
  const more = report.problems.length === 1 ? '' : `, and ${report.problems.length - 1} more problems`;
  throw new StorageError('Corrupt', `data folder ${shown} is damaged: ${problem}${more}`);
}

async function copyDataFile(from: string, to: string): Promise<void> {
  const { open } = await import('lmdb');
  const options = {
    path: from,
    noSubdir: true,
    readOnly: true,
    encoding: 'binary',
    permissionsMode: FILE_MODE,
    // Twice the size, because a server may grow the file before the copy begins.
    mapSize: Math.max(LEAST_MAP_BYTES, 2 * statSync(from).size),
  };
  const root = open(options as Parameters<typeof open>[0]) as unknown as CopyableRoot;
  try {
    await root.backup(to, true);
  } catch (caught) {
    throw mediumError(caught, `copying ${from} to ${to}`);
  } finally {
    await root.close();
  }
  chmodSync(to, FILE_MODE);
  const file = openSync(to, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(resolve(to, '..'));
}
