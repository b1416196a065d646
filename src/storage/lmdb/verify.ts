/**
 * Verifies a data folder: checksums of records, the key index, the chains of versions, the expiry index and the counts
 * in the state. It repairs nothing. It takes the lock of the folder, so no server may use the folder.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, toError } from '../../base/errors.ts';
import { waitForNextTurn } from '../../base/next-turn.ts';
import type { Revision } from '../storage.ts';
import type { Database } from './database.ts';
import { type Position, revisionOf } from './layout.ts';
import { claimedKey, type LogRecord, readIndex, readRecord } from './record.ts';
import { withDatabase } from './with-database.ts';

export interface FolderReport {
  readonly revision: Revision;
  /** The number of keys that exist. */
  readonly keys: number;
  /** The number of records in the log, including older versions and deletions. */
  readonly records: number;
  /** At most 100 problems, one sentence each. */
  readonly problems: readonly string[];
}

const MOST_PROBLEMS = 100;
const SLICE = 1000;

/**
 * Verifies the store in the folder. Throws ConfigError if there is no store, and the errors of `openLmdbStorage` if the
 * store cannot be opened.
 */
export async function verifyFolder(path: string): Promise<FolderReport> {
  const full = resolve(path);
  if (!existsSync(full)) throw new ConfigError(`data folder ${full} does not exist`);
  return withDatabase(full, (database) => new Verification(database).run());
}

/** The fields of a record that later steps need. Values are not kept. */
type Seen = Pick<LogRecord, 'key' | 'deleted' | 'checksum' | 'previous' | 'previousDeleted' | 'expires'>;

class Verification {
  readonly #database: Database;
  readonly #problems: string[] = [];
  readonly #records = new Map<Position, Seen>();
  readonly #latest = new Map<string, Position>();
  #steps = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async run(): Promise<FolderReport> {
    const state = this.#database.state();
    if (state === undefined) this.#report("the store's own state record is missing");
    const floor = state?.floor ?? 1;
    const logBytes = await this.#checkLog(floor);
    const keys = await this.#checkKeys();
    await this.#checkChains(floor);
    await this.#checkDead();
    await this.#checkExpiry();
    if (state !== undefined) {
      const last = revisionOf(this.#database.lastPosition());
      if (last > state.revision) this.#report(`the log reaches revision ${last}, the store says ${state.revision}`);
      if (this.#problems.length === 0 && logBytes !== state.logBytes) {
        this.#report(`the log has ${logBytes} bytes after its floor, the store says ${state.logBytes}`);
      }
    }
    return { revision: state?.revision ?? 0, keys, records: this.#records.size, problems: this.#problems };
  }

  async #checkLog(floor: Revision): Promise<number> {
    let logBytes = 0;
    for (const { key: position, value } of this.#database.log.getRange({ start: undefined, end: undefined })) {
      await this.#yieldTurn();
      try {
        const record = readRecord(value, value.length, position, claimedKey(value, value.length));
        const { key, deleted, checksum, previous, previousDeleted, expires } = record;
        this.#records.set(position, { key, deleted, checksum, previous, previousDeleted, expires });
        if (revisionOf(position) > floor) logBytes += record.size;
        this.#latest.set(key, position);
      } catch (caught) {
        this.#report(toError(caught).message);
      }
    }
    return logBytes;
  }

  async #checkKeys(): Promise<number> {
    let live = 0;
    for (const { key, value } of this.#database.keys.getRange({ start: undefined, end: undefined })) {
      await this.#yieldTurn();
      try {
        const entry = readIndex(value, value.length, key);
        const record = this.#records.get(entry.position);
        if (record === undefined)
          this.#report(`key ${quote(key)} points at revision ${revisionOf(entry.position)}, which is not there`);
        else if (record.key !== key || record.checksum !== entry.checksum || record.deleted !== entry.deleted) {
          this.#report(`the index entry of key ${quote(key)} does not match its record`);
        } else if (this.#latest.get(key) !== entry.position)
          this.#report(`key ${quote(key)} does not point at its latest record`);
        this.#latest.delete(key);
        if (!entry.deleted) live++;
      } catch (caught) {
        this.#report(toError(caught).message);
      }
    }
    for (const key of this.#latest.keys()) this.#report(`key ${quote(key)} has records but no index entry`);
    return live;
  }

  /** Checks that the log has every version that a revision at or above the floor needs, and no other version. */
  async #checkChains(floor: Revision): Promise<void> {
    const superseded = new Set<Position>();
    for (const [position, record] of this.#records) {
      await this.#yieldTurn();
      if (record.previous === 0) continue;
      const before = this.#records.get(record.previous);
      if (before === undefined) {
        const needed =
          revisionOf(position) > floor && !(record.previousDeleted && revisionOf(record.previous) <= floor);
        if (needed)
          this.#report(`key ${quote(record.key)} has lost its version of revision ${revisionOf(record.previous)}`);
        continue;
      }
      if (before.key !== record.key || before.deleted !== record.previousDeleted) {
        this.#report(`the versions of key ${quote(record.key)} before revision ${revisionOf(position)} do not fit`);
      }
      if (revisionOf(position) <= floor) superseded.add(record.previous);
    }
    for (const position of superseded)
      this.#report(`revision ${revisionOf(position)} holds a record that should be forgotten`);
  }

  async #checkDead(): Promise<void> {
    let dead = 0;
    for (const key of this.#database.dead.getKeys({ start: undefined, end: undefined })) {
      await this.#yieldTurn();
      dead++;
      if (this.#database.head(key)?.deleted !== true) this.#report(`key ${quote(key)} counts as deleted but is not`);
    }
    let deleted = 0;
    for (const { value } of this.#database.keys.getRange({ start: undefined, end: undefined })) {
      await this.#yieldTurn();
      if (value[8] === 2) deleted++;
    }
    if (dead !== deleted) this.#report(`${deleted} keys are deleted, ${dead} are counted so`);
  }

  async #checkExpiry(): Promise<void> {
    const listed = new Set<Position>();
    for (const { at, position } of this.#database.expiry.getKeys({ start: undefined, end: undefined })) {
      await this.#yieldTurn();
      listed.add(position);
      if (this.#records.get(position)?.expires !== at)
        this.#report(`the expiry index names revision ${revisionOf(position)} wrongly`);
    }
    for (const { key, value } of this.#database.keys.getRange({ start: undefined, end: undefined })) {
      await this.#yieldTurn();
      const position = value.length >= 8 ? value.readDoubleLE(0) : 0;
      const record = this.#records.get(position);
      if (record !== undefined && record.expires !== 0 && !listed.delete(position)) {
        this.#report(`key ${quote(key)} has a time to live but no entry in the expiry index`);
      }
    }
    for (const position of listed)
      this.#report(`the expiry index keeps revision ${revisionOf(position)}, which is not current`);
  }

  #report(problem: string): void {
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
  }

  /** Yields to the event loop once per `SLICE` steps. LMDB's cursor keeps its view of the data meanwhile. */
  async #yieldTurn(): Promise<void> {
    if (++this.#steps % SLICE === 0) await waitForNextTurn();
  }
}

function quote(key: string): string {
  return JSON.stringify(key);
}
