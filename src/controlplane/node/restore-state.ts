/** The folders of a restore or an import inside a data folder, and the check that none is unfinished. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';

/** The new parts of a restore while they are copied. A server ignores them, and the next restore removes them. */
export const STAGED = 'restore.new';
/** The former parts while the new ones are moved in. A server does not start while this folder exists. */
export const FORMER = 'restore.old';
/** The new objects of an import until they are verified. A server does not start while this folder exists. */
export const IMPORTED = 'import.new';

/**
 * Throws ConfigError if a restore of the data folder was interrupted while its parts were moved, or an import at all.
 */
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
