/**
 * Opens a data folder as a store.
 * Invariant: if opening fails, the folder is unlocked and its data is unchanged.
 */
import { chmodSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import type { EmbeddedStorage } from '../embedded-storage.ts';
import { StorageError } from '../errors.ts';
import { Database } from './database.ts';
import { FILE_MODE, openFolder } from './folder.ts';
import { FORMAT_VERSION, revisionOf } from './layout.ts';
import { LmdbStorage } from './lmdb-storage.ts';
import { openError } from './medium-error.ts';
import { type StoreState, writeState } from './record.ts';
import { DEFAULT_RETENTION, type Retention } from './retention.ts';

export interface LmdbOptions {
  /** The data folder. Created if it does not exist. It must not contain other files. */
  readonly folder: string;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /**
   * How much history is kept, for watches that resume and for `lookBack`. Default: one hour or 256 MiB, whichever is
   * less.
   */
  readonly retention?: Partial<Retention>;
  /** Called for failures of background work (expiry, pruning), which is retried later. Default: does nothing. */
  readonly onProblem?: (error: Error) => void;
  /** For tests: called before each commit. If it throws, the commit fails as if the disk had failed. */
  readonly beforeCommit?: () => void;
}

/**
 * Opens the store. Throws ConfigError if the folder is in use, cannot be written or has a newer format, StorageError
 * `Corrupt` if its data is damaged or truncated, and `NoSpace` if the disk is full.
 */
export async function openLmdbStorage(options: LmdbOptions): Promise<EmbeddedStorage> {
  const path = resolve(options.folder);
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  if (!(retention.ageMs >= 0) || !(retention.bytes >= 0)) {
    throw new ConfigError(`retention must not be negative: ${JSON.stringify(retention)}`);
  }
  let release: (() => void) | undefined;
  let database: Database | undefined;
  try {
    const folder = openFolder(path);
    release = folder.release;
    database = await Database.open(folder.dataFile);
    chmodSync(`${folder.dataFile}-lock`, FILE_MODE);
    const state = database.state() ?? (await initialise(database, folder.marked, path));
    if (state.format > FORMAT_VERSION) {
      throw new ConfigError(
        `data folder ${path} has format ${state.format}, this program knows up to ${FORMAT_VERSION}`,
      );
    }
    if (revisionOf(database.lastPosition()) > state.revision) {
      throw new StorageError('Corrupt', `data folder ${path} holds changes after its own revision ${state.revision}`);
    }
    if (!folder.marked) folder.mark();
    const storage = new LmdbStorage({
      folder,
      database,
      state,
      clock: options.clock ?? systemClock,
      retention,
      problem: options.onProblem ?? (() => {}),
      beforeCommit: options.beforeCommit,
    });
    storage.start();
    return storage;
  } catch (caught) {
    await database?.close();
    release?.();
    throw openError(caught, path);
  }
}

/**
 * Loads the native package, so that a later open need not wait for it. Rejects, like that open, if it cannot be loaded.
 */
export async function preloadLmdb(): Promise<void> {
  await import('lmdb');
}

async function initialise(database: Database, marked: boolean, path: string): Promise<StoreState> {
  if (marked || database.lastPosition() !== 0) {
    throw new StorageError(
      'Corrupt',
      `data folder ${path} has lost the record of its own state; restore it from a backup`,
    );
  }
  const state: StoreState = { format: FORMAT_VERSION, revision: 1, horizon: 1, floor: 1, logBytes: 0 };
  await database.commit(() => database.putStateSync(writeState(state)));
  return state;
}
