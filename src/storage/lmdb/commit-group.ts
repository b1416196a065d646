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

export class CommitGroup {
  readonly changes: Change[] = [];
  readonly waiters: Waiter[] = [];
  /** The last revision of its changes. */
  revision: Revision = 0;
  /** Bytes of its records. */
  bytes = 0;
  /** The compaction horizon that was asked for; 0: none. */
  horizon: Revision = 0;
  /** lmdb refused to append a record. */
  appendFailed = false;
  readonly #arena = new Arena();

  get isEmpty(): boolean {
    return this.waiters.length === 0;
  }

  /** Something must be written, not only answered. */
  get hasWork(): boolean {
    return this.changes.length > 0 || this.horizon > 0;
  }

  add(version: Version, replaces: Version | undefined, time: number): Change {
    const keyBytes = byteLength(version.key);
    const size = recordSize(keyBytes, version.value.byteLength);
    const start = this.#arena.reserve(size + INDEX_SIZE);
    const { chunk } = this.#arena;
    const replacesPosition = replaces === undefined ? 0 : replaces.position;
    const replacesDeleted = replaces?.deleted ?? false;
    const checksum = writeRecord(
      chunk,
      start,
      {
        position: version.position,
        deleted: version.deleted,
        previous: replacesPosition,
        previousDeleted: replacesDeleted,
        created: version.created,
        time,
        expires: version.expires,
      },
      version.key,
      keyBytes,
      version.value,
    );
    writeIndex(chunk, start + size, version.position, version.deleted, checksum);
    const change: Change = {
      key: version.key,
      position: version.position,
      deleted: version.deleted,
      created: version.created,
      value: version.value,
      expires: version.expires,
      time,
      previous: replaces === undefined || replacesDeleted ? undefined : versionItem(replaces),
      replacesPosition,
      replacesDeleted,
      replacesExpires: replaces === undefined ? 0 : replaces.expires,
      chunk,
      recordStart: start,
      recordEnd: start + size,
    };
    this.changes.push(change);
    this.revision = revisionOf(version.position);
    this.bytes += size;
    return change;
  }

  /** Hands everything to lmdb, which commits what is put in one turn as one transaction. */
  write(database: Database, pruned: PruneSlice | undefined, state: Buffer): Promise<boolean> {
    const { log, keys, dead, expiry } = database;
    let lastAppend: Promise<boolean> | undefined;
    for (const { position, chunk, recordStart, recordEnd } of this.changes) {
      chunk.start = recordStart;
      chunk.end = recordEnd;
      lastAppend = log.put(position, chunk, APPEND);
      lastAppend.then(this.#appended, ignore);
    }
    for (const change of this.changes) {
      const { key, chunk, recordEnd } = change;
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
    // All writes but appends share one promise; an append that LMDB refused has resolved its own with false by the last of them.
    const commit = database.putState(state);
    return lastAppend === undefined ? commit : Promise.all([commit, lastAppend]).then(([done]) => done);
  }

  /** Ready for other writes; only when the commit has settled. */
  reset(): void {
    this.changes.length = 0;
    this.waiters.length = 0;
    this.revision = 0;
    this.bytes = 0;
    this.horizon = 0;
    this.appendFailed = false;
    this.#arena.reset();
  }

  readonly #appended = (done: boolean): void => {
    if (!done) this.appendFailed = true;
  };
}

function ignore(): void {}

function byteLength(key: string): number {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) >= 0x80) return Buffer.byteLength(key);
  return key.length;
}
