/** Opens the LMDB database of a folder without a server, for verification and for reading all contents. */
import { existsSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';
import { Database } from './database.ts';
import { type Folder, openFolder } from './folder.ts';
import { openError } from './medium-error.ts';

/** An open database whose folder is locked. */
export interface LockedDatabase {
  readonly database: Database;
  /** Closes the database and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the database of an existing folder and takes the lock of the folder. Throws ConfigError if the folder is in use
 * or has no store, and the errors of `openLmdbStorage`.
 */
export async function openDatabase(path: string): Promise<LockedDatabase> {
  let folder: Folder | undefined;
  try {
    const locked = openFolder(path);
    folder = locked;
    if (!existsSync(locked.dataFile)) throw new ConfigError(`data folder ${path} holds no store`);
    const database = await Database.open(locked.dataFile);
    return { database, close: () => database.close().finally(() => locked.release()) };
  } catch (caught) {
    folder?.release();
    throw openError(caught, path);
  }
}

/**
 * Calls `use` with the database of an existing folder, and holds the lock of the folder until `use` settles. Throws
 * like `openDatabase`.
 */
export async function withDatabase<T>(path: string, use: (database: Database) => Promise<T>): Promise<T> {
  const { database, close } = await openDatabase(path);
  try {
    return await use(database);
  } catch (caught) {
    throw openError(caught, path);
  } finally {
    await close();
  }
}
