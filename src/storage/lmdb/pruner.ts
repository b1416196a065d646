/**
 * The pruner of history. The floor is the oldest revision that can be read. To raise the floor to F, the pruner visits
 * each record above the old floor and up to F. It removes the record that the visited one replaced, and the visited
 * record itself if it is a deletion. The work is therefore proportional to the number of changes, and all records of
 * the state at F are kept.
 * Invariants: the floor never passes a pinned or an unacknowledged revision; it moves by whole revisions, and by a
 * bounded slice per commit.
 */
import type { Clock } from '../../base/clock.ts';
import type { Revision } from '../storage.ts';
import type { Database } from './database.ts';
import { firstPosition, type Position, revisionOf } from './layout.ts';
import type { LogRecord } from './record.ts';
import type { Retention } from './retention.ts';

/** The most records that one commit prunes. */
const SLICE = 512;

export interface PruneSlice {
  readonly floor: Revision;
  /** The bytes by which `StoreState.logBytes` shrinks. */
  readonly bytes: number;
  readonly positions: readonly Position[];
  /** The keys to remove from the index, because the deletion that is their latest version is removed. */
  readonly keys: readonly string[];
  /** Whether another slice may be due. */
  readonly more: boolean;
}

/** Removes the records of a slice. Runs inside a transaction. */
export function removePruned(database: Database, { positions, keys }: PruneSlice): void {
  for (const position of positions) database.log.removeSync(position);
  for (const key of keys) {
    database.keys.removeSync(key);
    database.dead.removeSync(key);
  }
}

export class Pruner {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #retention: Retention;
  readonly #pins = new Map<Revision, number>();

  constructor(database: Database, clock: Clock, retention: Retention) {
    this.#database = database;
    this.#clock = clock;
    this.#retention = retention;
  }

  /** Keeps the state of a revision readable until the returned function is called. */
  pin(revision: Revision): () => void {
    this.#pins.set(revision, (this.#pins.get(revision) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#pins.get(revision) ?? 1) - 1;
      if (left === 0) this.#pins.delete(revision);
      else this.#pins.set(revision, left);
    };
  }

  /**
   * Returns the next slice of history to prune; undefined if nothing is due. `isLatest` is called with deletions and
   * returns whether the deletion is the latest version of its key.
   */
  slice(
    state: { readonly floor: Revision; readonly revision: Revision; readonly logBytes: number },
    isLatest: (record: LogRecord) => boolean,
  ): PruneSlice | undefined {
    const highest = Math.min(state.revision, ...this.#pins.keys());
    const oldest = this.#clock.now() - this.#retention.ageMs;
    const positions: Position[] = [];
    const keys: string[] = [];
    let { floor } = state;
    let bytes = 0;
    let seen = 0;
    let more = false;
    for (const position of this.#database.log.getKeys({
      start: firstPosition(floor + 1),
      end: firstPosition(highest + 1),
    })) {
      const revision = revisionOf(position);
      if (revision !== floor && seen >= SLICE) {
        more = true;
        break;
      }
      const record = this.#database.record(position);
      if (record === undefined) continue;
      if (revision !== floor && record.time > oldest && state.logBytes - bytes <= this.#retention.bytes) break;
      floor = revision;
      bytes += record.size;
      seen++;
      if (record.previous !== 0 && !record.previousDeleted) positions.push(record.previous);
      if (record.deleted) {
        positions.push(position);
        if (isLatest(record)) keys.push(record.key);
      }
    }
    return floor === state.floor ? undefined : { floor, bytes, positions, keys, more };
  }

  /** Whether the log exceeds the retention by size. Cheap, for use after each commit. */
  isOverSize(logBytes: number): boolean {
    return logBytes > this.#retention.bytes;
  }

  /** The milliseconds between two checks for changes that exceed the retention by age. */
  get interval(): number {
    return Math.min(Math.max(this.#retention.ageMs / 10, 1000), 60_000);
  }
}
