/** The writes of one commit, from decision to answer. Invariant: its bytes and buffers belong to lmdb from `write` until the commit settles. */

import type { Revision } from '../storage.ts';
import { Arena } from './arena.ts';
import { type Change, type Version, versionItem } from './change.ts';
import type { Database } from './database.ts';
import { revisionOf } from './layout.ts';
import type { PruneSlice } from './pruner.ts';
import { INDEX_SIZE, recordSize, writeIndex, writeRecord } from './record.ts';

export interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly result: unknown;
}

const APPEND = { append: true };
const NOTHING: Buffer = Buffer.alloc(1);

/** A write as it was decided; the group works out the rest. */
export type DecidedWrite = Pick<Change, 'key' | 'position' | 'value' | 'deleted' | 'expires' | 'time'>;

export class CommitGroup {
  readonly changes: Change[] = [];
  readonly waiters: Waiter[] = [];
  /** The last revision of its changes. */
  revision: Revision = 0;
  /** Bytes of its records. */
  bytes = 0;
  /** The compaction horizon that was asked for; 0: none. */
  horizon: Revision = 0;
  /** Records that LMDB says it has appended; all of them once the commit has settled. */
  appended = 0;
  readonly #arena = new Arena();

  get isEmpty(): boolean {
    return this.waiters.length === 0;
  }

  /** Something must be written, not only answered. */
  get hasWork(): boolean {
    return this.changes.length > 0 || this.horizon > 0;
  }

  /** Takes a decided write in. */
  add(write: DecidedWrite, replaces: Version | undefined): Change {
    const { key, position, value } = write;
    const keyBytes = byteLength(key);
    const size = recordSize(keyBytes, value.byteLength);
    const start = this.#arena.reserve(size + INDEX_SIZE);
    const { chunk } = this.#arena;
    const live = replaces === undefined || replaces.deleted ? undefined : replaces;
    const change: Change = {
      key,
      position,
      deleted: write.deleted,
      created: live === undefined ? revisionOf(position) : live.created,
      value,
      expires: write.expires,
      time: write.time,
      previous: live === undefined ? undefined : versionItem(live),
      replacesPosition: replaces === undefined ? 0 : replaces.position,
      replacesDeleted: replaces?.deleted ?? false,
      replacesExpires: replaces === undefined ? 0 : replaces.expires,
      chunk,
      recordStart: start,
      recordEnd: start + size,
    };
    const checksum = writeRecord(chunk, start, change, keyBytes);
    writeIndex(chunk, start + size, position, write.deleted, checksum);
    this.changes.push(change);
    this.revision = revisionOf(position);
    this.bytes += size;
    return change;
  }

  /** Hands everything to lmdb; called inside the batch that becomes the commit. Its writer thread does the work. */
  write(database: Database, pruned: PruneSlice | undefined, state: Buffer): void {
    const { log, keys, dead, expiry } = database;
    for (const change of this.changes) {
      const { key, chunk, recordStart, recordEnd } = change;
      chunk.start = recordStart;
      chunk.end = recordEnd;
      // Appending fills pages to the end, which makes the file a third smaller; each append has a promise of its own.
      log.put(change.position, chunk, APPEND).then(this.#appended, ignore);
      chunk.start = recordEnd;
      chunk.end = recordEnd + INDEX_SIZE;
      keys.put(key, chunk);
      if (change.deleted) dead.put(key, NOTHING);
      else if (change.replacesDeleted) dead.remove(key);
      if (change.replacesExpires !== 0) {
        expiry.remove({ at: change.replacesExpires, position: change.replacesPosition });
      }
      if (change.expires !== 0) expiry.put({ at: change.expires, position: change.position }, NOTHING);
    }
    if (pruned !== undefined) {
      for (const position of pruned.positions) log.remove(position);
      for (const key of pruned.keys) {
        keys.remove(key);
        dead.remove(key);
      }
    }
    database.putState(state);
  }

  /** Ready for other writes; only when the commit has settled. */
  reset(): void {
    this.changes.length = 0;
    this.waiters.length = 0;
    this.revision = 0;
    this.bytes = 0;
    this.horizon = 0;
    this.appended = 0;
    this.#arena.reset();
  }

  readonly #appended = (done: boolean): void => {
    if (done) this.appended++;
  };
}

// A failed commit rejects the batch as well, where it is handled.
function ignore(): void {}

function byteLength(key: string): number {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) >= 0x80) return Buffer.byteLength(key);
  return key.length;
}
