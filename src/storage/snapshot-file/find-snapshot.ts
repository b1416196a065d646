/** Finds the bbolt file of a snapshot: the file itself, or the database in the folder of a stopped etcd member. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';

export interface FoundSnapshot {
  readonly path: string;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
}

/** The paths of the database, relative to the data folder of a member and to its subfolder `member`. */
const IN_FOLDER = [join('member', 'snap', 'db'), join('snap', 'db')];

/** Throws ConfigError if `path` does not exist, or is a folder without a database. */
export function findSnapshot(path: string): FoundSnapshot {
  if (!existsSync(path)) throw new ConfigError(`${path} does not exist`);
  if (!statSync(path).isDirectory()) return { path, warnings: [] };
  const inside = IN_FOLDER.find((place) => existsSync(join(path, place)));
  if (inside === undefined)
    throw new ConfigError(
      `${path} is neither a snapshot nor the data folder of an etcd member: it has no member/snap/db; of a data folder of keelson, make a snapshot with "keelson storage export"`,
    );
  const database = join(path, inside);
  const warnings = [
    `${database} is the database of a member, not a snapshot: it has no hash to verify, and it lacks the writes that are only in the write-ahead log of the member`,
  ];
  return { path: database, warnings };
}
