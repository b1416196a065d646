/**
 * Executes the requests of a commit group inside a write transaction of LMDB, one after the other, so that each request
 * sees the writes of earlier requests.
 * Invariant: a request that fails on its own, for example because of a damaged record, has written nothing. A failure
 * of LMDB itself is thrown, and the whole transaction must fail.
 */
import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Write } from '../embedded-storage.ts';
import type { KeyValue, Revision } from '../storage.ts';
import type { Database } from './database.ts';
import { type KeyChange, type KeyVersion, versionItem } from './key-version.ts';
import { type Position, positionOf, revisionOf } from './layout.ts';
import { Scratch } from './scratch.ts';
import type { StateReader } from './state-reader.ts';
import { storeRecord } from './store-record.ts';
import type { DeleteRequest, Request, TransactRequest, WriteRequest } from './write-request.ts';

const NO_OVERWRITE = { noOverwrite: true };
const NOTHING: Buffer = Buffer.alloc(1);

export class Decider {
  /** The revision of the last change. */
  revision: Revision = 0;
  /** The highest horizon of the compact requests in this transaction; 0 if there is none. */
  horizon: Revision = 0;
  /** The bytes of the records that this transaction has written. */
  bytes = 0;
  changes: KeyChange[] = [];
  readonly #database: Database;
  readonly #states: StateReader;
  readonly #clock: Clock;
  readonly #scratch = new Scratch();
  #now = 0;
  /** Whether the current request has begun to write. From then on any failure is a failure of LMDB. */
  #writing = false;

  constructor(database: Database, states: StateReader, clock: Clock) {
    this.#database = database;
    this.#states = states;
    this.#clock = clock;
  }

  /** Begins a transaction on the state at a revision. */
  begin(revision: Revision): void {
    this.revision = revision;
    this.horizon = 0;
    this.bytes = 0;
    this.changes = [];
    this.#now = this.#clock.now();
  }

  decide(request: Request): void {
    this.#writing = false;
    try {
      switch (request.kind) {
        case 'write':
          this.#write(request);
          break;
        case 'delete':
          this.#delete(request);
          break;
        case 'transact':
          this.#transact(request);
          break;
        case 'compact':
          this.horizon = Math.max(this.horizon, request.horizon);
          request.result = true;
      }
    } catch (caught) {
      if (this.#writing) throw caught;
      request.error = toError(caught);
    }
  }

  #write(request: WriteRequest): void {
    const { key, expected, value, ttlMs } = request;
    const next = this.revision + 1;
    if (expected === 0 && this.#insert(positionOf(next, 0), key, value, this.#expires(ttlMs))) {
      this.#written(request, next);
      return;
    }
    const current = this.#version(key);
    const revision = current === undefined || current.deleted ? 0 : revisionOf(current.position);
    if (revision !== expected) {
      const item = revision === 0 ? undefined : versionItem(current as KeyVersion);
      request.result = { outcome: 'conflict', current: item, revision: this.revision };
    } else if (isNoOp(current, value, ttlMs)) {
      request.result = { outcome: 'ok', revision, changed: false };
    } else {
      this.#put(positionOf(next, 0), key, current, value, this.#expires(ttlMs));
      this.#written(request, next);
    }
  }

  /** Sets the result of a write. Writes `followedBy`, if there is one, at the next revision. */
  #written(request: WriteRequest, revision: Revision): void {
    this.revision = revision;
    request.result = { outcome: 'ok', revision, changed: true };
    const { followedBy } = request;
    if (followedBy === undefined || Buffer.compare(request.value, followedBy) === 0) return;
    this.revision = revision + 1;
    this.#put(positionOf(this.revision, 0), request.key, this.changes.at(-1), followedBy, 0);
  }

  #delete(request: DeleteRequest): void {
    const { key, expected } = request;
    const current = this.#version(key);
    if (current === undefined || current.deleted) {
      request.result = { outcome: 'missing', revision: this.revision };
      return;
    }
    const item = versionItem(current);
    if (expected !== undefined && item.revision !== expected) {
      request.result = { outcome: 'conflict', current: item, revision: this.revision };
      return;
    }
    const next = this.revision + 1;
    this.#remove(positionOf(next, 0), key, current);
    this.revision = next;
    request.result = { outcome: 'ok', revision: next, deleted: item };
  }

  #transact(request: TransactRequest): void {
    const { checks, writes } = request.transaction;
    let holds = true;
    const current: (KeyValue | undefined)[] = [];
    for (const check of checks) {
      const version = this.#version(check.key);
      const item = version === undefined || version.deleted ? undefined : versionItem(version);
      holds &&= (item?.revision ?? 0) === check.revision;
      current.push(item);
    }
    if (!holds) {
      request.result = { outcome: 'conflict', current, revision: this.revision };
      return;
    }
    // Read all keys before the first write, so that a damaged record fails the request and not the transaction.
    const versions = writes.map((write) => this.#version(write.key));
    const next = this.revision + 1;
    let place = 0;
    writes.forEach((write, i) => {
      const version = versions[i];
      if (changesNothing(write, version)) return;
      const position = positionOf(next, place++);
      if (write.type === 'put') this.#put(position, write.key, version, write.value, this.#expires(write.ttlMs));
      else this.#remove(position, write.key, version as KeyVersion);
    });
    if (place > 0) this.revision = next;
    request.result = { outcome: 'ok', revision: this.revision, changed: place > 0 };
  }

  /** The latest version of the key. */
  #version(key: string): KeyVersion | undefined {
    const head = this.#database.head(key);
    if (head === undefined) return undefined;
    if (!head.deleted) return this.#states.latest(key, head);
    return { key, position: head.position, deleted: true, created: 0, value: EMPTY_BYTES, expires: 0 };
  }

  #expires(ttlMs: number | undefined): number {
    // Above the safe integers the expiry index would lose its order. That time is 285,000 years from now.
    return ttlMs === undefined ? 0 : Math.min(Math.ceil(this.#now + ttlMs), Number.MAX_SAFE_INTEGER);
  }

  /**
   * Writes a key that is not in the index. If the key is in the index, returns false and writes nothing; LMDB checks
   * this while it inserts.
   */
  #insert(position: Position, key: string, value: Uint8Array, expires: number): boolean {
    const change = this.#change(position, key, undefined, value, false, expires);
    return this.#store(change, 0, NO_OVERWRITE);
  }

  #put(position: Position, key: string, replaces: KeyVersion | undefined, value: Uint8Array, expires: number): void {
    this.#store(this.#change(position, key, replaces, value, false, expires), replaces?.expires ?? 0);
  }

  #remove(position: Position, key: string, replaces: KeyVersion): void {
    this.#store(this.#change(position, key, replaces, EMPTY_BYTES, true, 0), replaces.expires);
  }

  #change(
    position: Position,
    key: string,
    replaces: KeyVersion | undefined,
    value: Uint8Array,
    deleted: boolean,
    expires: number,
  ): KeyChange {
    const live = replaces === undefined || replaces.deleted ? undefined : replaces;
    return {
      key,
      position,
      deleted,
      created: live === undefined ? revisionOf(position) : live.created,
      value,
      expires,
      time: this.#now,
      previous: live === undefined ? undefined : versionItem(live),
      replacesPosition: replaces === undefined ? 0 : replaces.position,
      replacesDeleted: replaces?.deleted ?? false,
    };
  }

  #store(change: KeyChange, replacesExpires: number, options?: { readonly noOverwrite: boolean }): boolean {
    const { dead, expiry } = this.#database;
    const { key } = change;
    this.#writing = true;
    const size = storeRecord(this.#database, this.#scratch, change, options);
    if (size === 0) {
      this.#writing = false;
      return false;
    }
    if (change.deleted) dead.putSync(key, NOTHING);
    else if (change.replacesDeleted) dead.removeSync(key);
    if (replacesExpires !== 0) expiry.removeSync({ at: replacesExpires, position: change.replacesPosition });
    if (change.expires !== 0) expiry.putSync({ at: change.expires, position: change.position }, NOTHING);
    this.bytes += size;
    this.changes.push(change);
    return true;
  }
}

function isNoOp(current: KeyVersion | undefined, value: Uint8Array, ttlMs: number | undefined): boolean {
  if (current === undefined || current.deleted || ttlMs !== undefined || current.expires !== 0) return false;
  return Buffer.compare(current.value, value) === 0;
}

function changesNothing(write: Write, current: KeyVersion | undefined): boolean {
  return write.type === 'put' ? isNoOp(current, write.value, write.ttlMs) : current === undefined || current.deleted;
}
