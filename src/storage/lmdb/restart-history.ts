/**
 * Starts a new history in a store that was restored from a backup. The original store may have continued after the
 * backup, so clients may have seen revisions that the restored store would use again for other changes. Therefore the
 * old history is pruned, and the next revision is far above all revisions that clients can have seen. A client that
 * resumes a watch gets `compacted` and lists again.
 */
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { StorageError } from '../errors.ts';
import type { Revision } from '../storage.ts';
import { Database } from './database.ts';
import { DATA_FILE } from './folder.ts';
import { Pruner, type PruneSlice, removePruned } from './pruner.ts';
import { type LogRecord, type StoreState, writeState } from './record.ts';

/**
 * The distance to the revisions of the old history. The original store would need a day at 10,000 writes a second to
 * reach the new revisions.
 */
export const REVISION_GAP = 1_000_000_000;

/**
 * Prunes the history of the store in a folder that no other process uses, and raises the revision of the store. Returns
 * the new revision. Keys keep their revisions.
 */
export async function restartHistory(folder: string): Promise<Revision> {
  const database = await Database.open(join(folder, DATA_FILE));
  try {
    let state = database.state();
    if (state === undefined) throw new StorageError('Corrupt', `${folder} has lost the record of its own state`);
    // With this age every change is too old.
    const pruner = new Pruner(database, systemClock, { ageMs: Number.NEGATIVE_INFINITY, bytes: 0 });
    const isLatest = ({ key, position }: LogRecord): boolean => database.head(key)?.position === position;
    for (let slice = pruner.slice(state, isLatest); slice !== undefined; slice = pruner.slice(state, isLatest))
      state = await prune(database, state, slice);
    const revision = state.revision + REVISION_GAP;
    const next: StoreState = { ...state, revision, horizon: revision, floor: revision, logBytes: 0 };
    await database.commit(() => database.putStateSync(writeState(next)));
    return revision;
  } finally {
    await database.close();
  }
}

async function prune(database: Database, state: StoreState, slice: PruneSlice): Promise<StoreState> {
  const { floor, bytes } = slice;
  const next = { ...state, floor, horizon: Math.max(state.horizon, floor), logBytes: state.logBytes - bytes };
  await database.commit(() => {
    removePruned(database, slice);
    database.putStateSync(writeState(next));
  });
  return next;
}
