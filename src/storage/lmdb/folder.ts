/**
 * The data folder: its lock, its format and the check of its data file. The folder has mode 0700, its files 0600.
 * Invariants: a folder that has held data never opens as an empty store; a folder with a newer format never opens.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, toError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import { checkDataFile } from './data-file.ts';
import { lockFolder } from './folder-lock.ts';
import { FORMAT_VERSION } from './layout.ts';

export const FILE_MODE = 0o600;
/** LMDB's file in a data folder. */
export const DATA_FILE = 'data.mdb';

const LEAST_PROBE = 2 ** 16;
const MOST_PROBE = 2 ** 22;

export interface Folder {
  /** LMDB's file. */
  readonly dataFile: string;
  /** Whether the folder had a version mark when it was opened: it has held a store before. */
  readonly marked: boolean;
  /** Writes the version mark. Called once the store in the folder is complete. */
  mark(): void;
  /**
   * Checks whether the data file could grow by `bytes`, by writing to a temporary file. Returns the error of that
   * write.
   */
  probeRoom(bytes: number): Error | undefined;
  release(): void;
}

/**
 * Creates the folder if necessary, locks it and checks it. Throws ConfigError (in use, newer format, not writable) or
 * StorageError(Corrupt).
 */
export function openFolder(path: string): Folder {
  const made = makeFolder(path);
  if (made !== undefined) syncFolder(dirname(made));
  const release = lockFolder(path);
  try {
    chmodSync(path, 0o700);
    const dataFile = join(path, DATA_FILE);
    const marked = readMark(path);
    if (existsSync(dataFile)) checkDataFile(dataFile);
    else if (marked)
      throw new StorageError('Corrupt', `data folder ${path} has lost its file data.mdb; restore it from a backup`);
    return {
      dataFile,
      marked,
      mark: () => writeMark(path),
      probeRoom: (bytes) => probeRoom(dataFile, bytes),
      release,
    };
  } catch (caught) {
    release();
    throw caught;
  }
}

/**
 * Creates the folder and its parents. Returns the first folder that it created; undefined if `path` exists. Node's
 * `recursive` never returns where the system answers ENOENT below a folder, as in /proc.
 */
function makeFolder(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const made = makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (caught) {
    // Another process may have created it meanwhile.
    if ((caught as { code?: string }).code !== 'EEXIST') throw caught;
  }
  return made ?? path;
}

/**
 * Returns whether the folder has a version mark. Throws ConfigError for a newer format and for a `format` file of
 * another program.
 */
export function readMark(path: string): boolean {
  const file = markFile(path);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (caught) {
    if ((caught as { code?: string }).code === 'ENOENT') return false;
    throw caught;
  }
  const version = /^keelson storage (\d{1,9})\n$/.exec(text)?.[1];
  if (version === undefined)
    throw new ConfigError(`${file} is not a version mark of this program; choose another data folder`);
  if (Number(version) > FORMAT_VERSION) {
    throw new ConfigError(
      `data folder ${path} has format ${version}, and this program knows formats up to ${FORMAT_VERSION}: use the newer program that wrote it`,
    );
  }
  return true;
}

export function writeMark(path: string): void {
  const temporary = `${markFile(path)}.new`;
  const file = openSync(temporary, 'w', FILE_MODE);
  try {
    writeSync(file, `keelson storage ${FORMAT_VERSION}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, markFile(path));
  syncFolder(path);
}

// Makes new file names in a folder durable. On Windows a folder cannot be opened, and the system syncs it.
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

// Writes at the offset where the data file would grow, so that a limit on file sizes applies to the probe, too.
function probeRoom(dataFile: string, bytes: number): Error | undefined {
  const path = `${dataFile}.probe`;
  try {
    const content = Buffer.alloc(Math.min(Math.max(2 * bytes, LEAST_PROBE), MOST_PROBE));
    const at = statSync(dataFile).size;
    const file = openSync(path, 'w', FILE_MODE);
    try {
      for (let done = 0; done < content.length; )
        done += writeSync(file, content, done, content.length - done, at + done);
      fsyncSync(file);
    } finally {
      closeSync(file);
      unlinkSync(path);
    }
    return undefined;
  } catch (caught) {
    return toError(caught);
  }
}

function markFile(path: string): string {
  return join(path, 'format');
}
