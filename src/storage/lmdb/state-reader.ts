/**
 * Reads the state at a revision. The key index points to the latest record of a key, and each record points to the
 * previous record of its key. An older state is found by following these positions back.
 * Invariant: for every revision from the floor to the acknowledged revision, the result is the state at that revision,
 * whatever LMDB has committed since.
 */
import { waitForNextTurn } from '../../base/next-turn.ts';
import { StorageError } from '../errors.ts';
import { type KeyRange, prefixEnd } from '../keys.ts';
import type { KeyValue, Revision } from '../storage.ts';
import { type Database, isVisible, itemOf, readError } from './database.ts';
import { firstPosition, revisionOf } from './layout.ts';
import { type IndexEntry, type LogRecord, readIndex } from './record.ts';

/** The most index entries that a list reads in one turn of the event loop. */
const SLICE = 2000;

export interface Page {
  readonly items: KeyValue[];
  readonly next: string | undefined;
  readonly remaining: number;
}

export interface PageRequest {
  readonly range: KeyRange;
  readonly revision: Revision;
  /** 0 means no limit. */
  readonly limit: number;
  readonly countOnly: boolean;
}

export class StateReader {
  readonly #database: Database;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes lists that are not complete yet reject with Closed. */
  close(): void {
    this.#closed = true;
  }

  get(key: string, revision: Revision): KeyValue | undefined {
    const head = this.#database.head(key);
    const record = head === undefined ? undefined : this.#resolve(key, head, revision);
    return record === undefined ? undefined : itemOf(record);
  }

  /** Returns the latest record of a key. Throws Corrupt if the record does not match the index entry. */
  latest(key: string, head: IndexEntry): LogRecord {
    const record = this.#database.record(head.position, key);
    if (record === undefined || record.checksum !== head.checksum || record.deleted !== head.deleted) {
      throw new StorageError(
        'Corrupt',
        `the index entry of key ${JSON.stringify(key)} points at a record that is not its own`,
        {
          key,
        },
      );
    }
    return record;
  }

  /**
   * Reads one page. A page of more than `SLICE` index entries is read in slices and returned as a promise. The caller
   * must pin the revision until the page is complete.
   */
  page(request: PageRequest): Page | Promise<Page> {
    const scan = new Scan(request);
    if (request.countOnly)
      return { items: [], next: undefined, remaining: this.#count(scan.from, scan.end, request.revision) };
    return this.#fill(scan) ? this.#finish(scan) : this.#continue(scan);
  }

  /**
   * Reads one slice of a range, for watches that deliver the initial state in slices. `next` is undefined at the end of
   * the range.
   */
  slice(range: KeyRange, revision: Revision): { readonly items: KeyValue[]; readonly next: string | undefined } {
    const scan = new Scan({ range, revision, limit: 0, countOnly: false });
    this.#fill(scan);
    return { items: scan.items, next: scan.next };
  }

  async #continue(scan: Scan): Promise<Page> {
    do {
      await waitForNextTurn();
      if (this.#closed) throw new StorageError('Closed', 'the store was stopped while a list was being read');
    } while (!this.#fill(scan));
    return this.#finish(scan);
  }

  #finish(scan: Scan): Page {
    const remaining = scan.next === undefined ? 0 : this.#count(scan.next, scan.end, scan.request.revision);
    return { items: scan.items, next: scan.next, remaining };
  }

  /** Reads one slice into the scan and sets `next`. Returns true once the page is full or the range has ended. */
  #fill(scan: Scan): boolean {
    const { revision, limit } = scan.request;
    let seen = 0;
    try {
      for (const { key, value } of this.#database.keys.getRange({ start: scan.from, end: scan.end })) {
        if (seen++ === SLICE) {
          scan.from = key;
          scan.next = key;
          return false;
        }
        const record = this.#resolve(key, readIndex(value, value.length, key), revision);
        if (record === undefined) continue;
        if (limit > 0 && scan.items.length === limit) {
          scan.next = key;
          return true;
        }
        scan.items.push(itemOf(record));
      }
    } catch (caught) {
      throw readError(caught);
    }
    scan.next = undefined;
    return true;
  }

  /**
   * Follows the versions of a key back to the one that was current at the revision. Returns undefined if the key did
   * not exist then.
   */
  #resolve(key: string, head: IndexEntry, revision: Revision): LogRecord | undefined {
    if (isVisible(head.position, revision)) return head.deleted ? undefined : this.latest(key, head);
    let record = this.latest(key, head);
    while (!isVisible(record.position, revision)) {
      const { previous, previousDeleted } = record;
      if (previous === 0 || (previousDeleted && isVisible(previous, revision))) return undefined;
      const before = this.#database.record(previous, key);
      if (before === undefined) {
        const message = `the record of key ${JSON.stringify(key)} at revision ${revisionOf(previous)} is missing`;
        throw new StorageError('Corrupt', message, { key });
      }
      record = before;
    }
    return record.deleted ? undefined : record;
  }

  /**
   * Counts the keys from `start` up to `end` (exclusive) at a revision. LMDB counts the keys of its latest state fast.
   * Keys that changed after the revision are then corrected one by one, unless it is less work to read every key.
   */
  #count(start: string | undefined, end: string | undefined, revision: Revision): number {
    const { keys, dead, log } = this.#database;
    const range = { start, end };
    try {
      const indexed = keys.getKeysCount({ ...range });
      let count = indexed - dead.getKeysCount({ ...range });
      const changed = new Set<string>();
      let steps = 0;
      for (const position of log.getKeys({ start: firstPosition(revision + 1), end: undefined })) {
        if (steps++ > indexed + 100) return this.#countOneByOne(start, end, revision);
        const key = this.#database.record(position)?.key;
        if (
          key === undefined ||
          changed.has(key) ||
          (start !== undefined && key < start) ||
          (end !== undefined && key >= end)
        ) {
          continue;
        }
        changed.add(key);
        const head = this.#database.head(key);
        if (head === undefined) continue;
        const now = head.deleted ? 0 : 1;
        const then = this.#resolve(key, head, revision) === undefined ? 0 : 1;
        count += then - now;
      }
      return count;
    } catch (caught) {
      throw readError(caught);
    }
  }

  #countOneByOne(start: string | undefined, end: string | undefined, revision: Revision): number {
    let count = 0;
    for (const { key, value } of this.#database.keys.getRange({ start, end })) {
      if (this.#resolve(key, readIndex(value, value.length, key), revision) !== undefined) count++;
    }
    return count;
  }
}

class Scan {
  readonly request: PageRequest;
  readonly end: string | undefined;
  readonly items: KeyValue[] = [];
  from: string | undefined;
  next: string | undefined;

  constructor(request: PageRequest) {
    const { prefix, start } = request.range;
    this.request = request;
    this.from = start !== undefined && start > prefix ? start : prefix === '' ? undefined : prefix;
    this.end = prefixEnd(prefix);
    // A start after all keys of the prefix makes the range empty. LMDB does not accept a range that ends before it
    // starts.
    if (this.from !== undefined && this.end !== undefined && this.from > this.end) this.from = this.end;
  }
}
