/** The use of a whole database by a program that is not a server: verification, and reads of all contents. */
import { existsSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';
import { Database } from './database.ts';
import { type Folder, openFolder } from './folder.ts';
import { openError } from './medium-error.ts';

/**
 * Calls `use` with the database of an existing folder, and holds the lock of the folder meanwhile. Throws ConfigError
 * if the folder is in use or has no store, and the errors of `openLmdbStorage`.
 */
export async function withDatabase<T>(path: string, use: (database: Database) => Promise<T>): Promise<T> {
  let folder: Folder | undefined;
  let database: Database | undefined;
  try {
    folder = openFolder(path);
    if (!existsSync(folder.dataFile)) throw new ConfigError(`data folder ${path} holds no store`);
    database = await Database.open(folder.dataFile);
    return await use(database);
  } catch (caught) {
    throw openError(caught, path);
  } finally {
    await database?.close();
    folder?.release();
  }
}
