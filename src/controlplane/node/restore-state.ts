/** The temporary folders of a restore or an import inside a data folder, and the check that none is unfinished. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';

/**
 * Contains the new parts of a restore while they are copied. Servers ignore this folder, and the next restore removes
 * it.
 */
export const STAGED = 'restore.new';
/** Contains the old parts while they are replaced. No server starts while this folder exists. */
export const FORMER = 'restore.old';
/** Contains the new objects of an import until they are verified. No server starts while this folder exists. */
export const IMPORTED = 'import.new';

/** Throws ConfigError if an import into the data folder was interrupted, or a restore while it moved parts. */
export function checkRestoreFinished(dataDir: string): void {
  if (existsSync(join(dataDir, IMPORTED)))
    throw new ConfigError(
      `data folder ${dataDir} has an unfinished import: run "keelson storage import" or "migrate" again, or remove ${join(dataDir, IMPORTED)}`,
    );
  if (existsSync(join(dataDir, FORMER)))
    throw new ConfigError(
      `data folder ${dataDir} has an unfinished restore: run "keelson storage restore" with --replace again (its former contents are in ${join(dataDir, FORMER)})`,
    );
}
