/**
 * Writes, grouped. The store is the only writer of its folder, so a write is decided at once, against what is committed and what is
 * decided but not yet committed (the overlay); a group of decided writes becomes one LMDB transaction.
 * Invariants: one group is in flight at a time; nothing is answered, and nothing becomes visible, before its group is durable; an
 * answer that rests on an undurable write waits for it; when a group fails, so does everything that was decided on top of it.
 */
import { constants } from 'node:os';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { BugError, toError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import type {
  DeleteResult,
  KeyValue,
  Revision,
  Transaction,
  TransactionResult,
  Write,
  WriteResult,
} from '../storage.ts';
import { type Change, type Version, versionItem } from './change.ts';
import { CommitGroup, type Waiter } from './commit-group.ts';
import type { Database } from './database.ts';
import { mediumError } from './errors.ts';
import { type Position, positionOf, revisionOf } from './layout.ts';
import type { Pruner, PruneSlice } from './pruner.ts';
import { type LogRecord, type StoreState, writeState } from './record.ts';
import type { States } from './states.ts';

/** Values that may wait for a commit; beyond it writes are refused, because the disk does not keep up. */
const MAX_WAITING_BYTES = 256 * 2 ** 20;

export interface WriteQueueOptions {
  readonly database: Database;
  readonly states: States;
  readonly clock: Clock;
  readonly pruner: Pruner;
  readonly state: StoreState;
  /** Called when a group is durable, before its writers are answered; `state()` is already the new one. */
  readonly committed: (changes: readonly Change[], revision: Revision) => void;
  readonly problem: (error: Error) => void;
  /** Tries whether the folder takes this many bytes more, and returns the error if not. */
  readonly probeRoom: (bytes: number) => Error | undefined;
  /** Called before a group is handed to LMDB; a throw fails the commit as LMDB would. For tests of failing media. */
  readonly beforeCommit?: (() => void) | undefined;
}

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #overlay = new Map<string, Change>();
  #state: StoreState;
  #decided: Revision;
  #open = new CommitGroup();
  #inFlight: CommitGroup | undefined;
  #spare: CommitGroup | undefined = new CommitGroup();
  #scheduled = false;
  #pruneDue = false;
  #pruneFailed = false;
  #closed = false;
  #broken: StorageError | undefined;
  #idle: (() => void)[] = [];

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#decided = options.state.revision;
  }

  /** The durable state: what readers and watchers may see. */
  get state(): StoreState {
    return this.#state;
  }

  /** Writes a key whose revision must be `expected`; 0: must not exist. */
  write(key: string, expected: Revision, value: Uint8Array, ttlMs: number | undefined): Promise<WriteResult> {
    this.#check();
    const current = this.#version(key);
    const revision = current === undefined || current.deleted ? 0 : revisionOf(current.position);
    if (revision !== expected) {
      const item = revision === 0 ? undefined : versionItem(current as Version);
      return this.#answer<WriteResult>(this.#overlay.has(key), (store) => ({
        outcome: 'conflict',
        current: item,
        revision: store,
      }));
    }
    if (isNoOp(current, value, ttlMs)) {
      return this.#answer<WriteResult>(this.#overlay.has(key), () => ({ outcome: 'ok', revision, changed: false }));
    }
    const next = this.#decided + 1;
    this.#put(positionOf(next, 0), key, current, value, ttlMs);
    this.#decided = next;
    return this.#wait<WriteResult>({ outcome: 'ok', revision: next, changed: true });
  }

  delete(key: string, expected: Revision | undefined): Promise<DeleteResult> {
    this.#check();
    const current = this.#version(key);
    if (current === undefined || current.deleted) {
      return this.#answer<DeleteResult>(this.#overlay.has(key), (revision) => ({ outcome: 'missing', revision }));
    }
    const item = versionItem(current);
    if (expected !== undefined && item.revision !== expected) {
      return this.#answer<DeleteResult>(this.#overlay.has(key), (revision) => ({
        outcome: 'conflict',
        current: item,
        revision,
      }));
    }
    const next = this.#decided + 1;
    this.#remove(positionOf(next, 0), key, current);
    this.#decided = next;
    return this.#wait<DeleteResult>({ outcome: 'ok', revision: next, deleted: item });
  }

  transact(transaction: Transaction): Promise<TransactionResult> {
    this.#check();
    let involved = false;
    let holds = true;
    const current: (KeyValue | undefined)[] = [];
    for (const check of transaction.checks) {
      const version = this.#version(check.key);
      const item = version === undefined || version.deleted ? undefined : versionItem(version);
      involved ||= this.#overlay.has(check.key);
      holds &&= (item?.revision ?? 0) === check.revision;
      current.push(item);
    }
    if (!holds) {
      return this.#answer<TransactionResult>(involved, (revision) => ({ outcome: 'conflict', current, revision }));
    }
    const versions = transaction.writes.map((write) => this.#version(write.key));
    const changing = transaction.writes.filter((write, i) => !changesNothing(write, versions[i])).length;
    if (changing === 0) {
      involved ||= transaction.writes.some((write) => this.#overlay.has(write.key));
      return this.#answer<TransactionResult>(involved, (revision) => ({ outcome: 'ok', revision, changed: false }));
    }
    const next = this.#decided + 1;
    let place = 0;
    transaction.writes.forEach((write, i) => {
      const version = versions[i];
      if (changesNothing(write, version)) return;
      const position = positionOf(next, place++);
      if (write.type === 'put') this.#put(position, write.key, version, write.value, write.ttlMs);
      else this.#remove(position, write.key, version as Version);
    });
    this.#decided = next;
    return this.#wait<TransactionResult>({ outcome: 'ok', revision: next, changed: true });
  }

  /** Moves the horizon, durably. */
  compact(horizon: Revision): Promise<void> {
    this.#check();
    this.#open.horizon = Math.max(this.#open.horizon, horizon);
    return this.#wait(undefined);
  }

  /** Looks for history that is too old, in the next commits. */
  prune(): void {
    if (this.#closed || this.#pruneFailed || this.#broken !== undefined) return;
    this.#pruneDue = true;
    this.#schedule();
  }

  /** Refuses further writes and resolves when all that were accepted are answered. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#inFlight === undefined && this.#open.isEmpty) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #check(): void {
    if (this.#closed) throw new StorageError('Closed', 'the store is stopped');
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#open.bytes > MAX_WAITING_BYTES) {
      throw new StorageError('Unavailable', `more than ${MAX_WAITING_BYTES} bytes wait to be written`);
    }
  }

  /** The key's latest version, decided writes first. */
  #version(key: string): Version | undefined {
    const decided = this.#overlay.get(key);
    if (decided !== undefined) return decided;
    const head = this.#options.database.head(key);
    if (head === undefined) return undefined;
    if (!head.deleted) return this.#options.states.latest(key, head);
    return { key, position: head.position, deleted: true, created: 0, value: EMPTY_BYTES, expires: 0 };
  }

  #put(
    position: Position,
    key: string,
    replaces: Version | undefined,
    value: Uint8Array,
    ttlMs: number | undefined,
  ): void {
    const time = this.#options.clock.now();
    const expires = ttlMs === undefined ? 0 : Math.ceil(time + ttlMs);
    this.#overlay.set(key, this.#open.add({ key, position, value, deleted: false, expires, time }, replaces));
  }

  #remove(position: Position, key: string, replaces: Version): void {
    const time = this.#options.clock.now();
    const write = { key, position, value: EMPTY_BYTES, deleted: true, expires: 0, time };
    this.#overlay.set(key, this.#open.add(write, replaces));
  }

  /** An answer that changes nothing: at once, unless it rests on a write that is not durable yet. */
  #answer<T>(involved: boolean, make: (store: Revision) => T): Promise<T> {
    return involved ? this.#wait(make(this.#decided)) : Promise.resolve(make(this.#state.revision));
  }

  #wait<T>(result: T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#open.waiters.push({ resolve, reject, result } as Waiter);
      this.#schedule();
    });
  }

  // A turn later, so that all who write in this turn, or are answered by the last commit, share one sync.
  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== undefined) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    if (this.#inFlight !== undefined) return;
    const pruned = this.#pruneDue ? this.#nextPrune() : undefined;
    const group = this.#open;
    if (group.isEmpty && pruned === undefined) return;
    this.#open = this.#spare ?? new CommitGroup();
    this.#spare = undefined;
    this.#inFlight = group;
    const before = this.#state;
    const floor = pruned?.floor ?? before.floor;
    const state: StoreState = {
      format: before.format,
      revision: group.changes.length === 0 ? before.revision : group.revision,
      horizon: Math.max(before.horizon, group.horizon, floor),
      floor,
      logBytes: before.logBytes + group.bytes - (pruned?.bytes ?? 0),
    };
    if (!group.hasWork && pruned === undefined) {
      this.#finish(group, before);
      return;
    }
    if (pruned !== undefined) this.#state = { ...before, floor, horizon: Math.max(before.horizon, floor) };
    this.#commit(group, before, state, pruned);
  };

  #commit(group: CommitGroup, before: StoreState, state: StoreState, pruned: PruneSlice | undefined): void {
    const { database } = this.#options;
    let handed = false;
    try {
      this.#options.beforeCommit?.();
      this.#checkAlone(before.revision);
      handed = true;
      database
        .commit(() => group.write(database, pruned, writeState(state)))
        // The promises of the appends settle in the same turn, behind that of the batch: one step later all have.
        .then((done) => done)
        .then(
          () => {
            if (group.appended === group.changes.length) this.#finish(group, state);
            else this.#fail(group, before, new BugError('LMDB did not append every record of a commit'));
          },
          async (caught: unknown) => this.#fail(group, before, this.#explain(await commitCause(caught), group)),
        );
    } catch (caught) {
      if (handed) this.#break(toError(caught));
      this.#fail(group, before, caught);
    }
  }

  /** LMDB says EIO when a write came to an end half-way, which is how a disk becomes full: whether it is, is asked by writing. */
  #explain(cause: unknown, group: CommitGroup): unknown {
    if ((cause as { code?: unknown }).code !== constants.errno.EIO) return cause;
    return this.#options.probeRoom(group.bytes) ?? cause;
  }

  #nextPrune(): PruneSlice | undefined {
    try {
      const slice = this.#options.pruner.slice(
        this.#state,
        (record: LogRecord) =>
          !this.#overlay.has(record.key) && this.#options.database.head(record.key)?.position === record.position,
      );
      this.#pruneDue = slice?.more ?? false;
      return slice;
    } catch (caught) {
      // Damaged history is kept, not guessed at: what it superseded is unknown.
      this.#pruneDue = false;
      this.#pruneFailed = true;
      this.#options.problem(toError(caught));
      return undefined;
    }
  }

  /** The lock file cannot see every process; a foreign commit shows here, before ours would be decided on a false state. */
  #checkAlone(revision: Revision): void {
    const found = this.#options.database.state()?.revision;
    if (found === revision) return;
    this.#broken = new StorageError(
      'Unavailable',
      `the data folder was written by another process (revision ${found}, expected ${revision}): open the store anew`,
    );
    throw this.#broken;
  }

  #finish(group: CommitGroup, state: StoreState): void {
    this.#state = state;
    if (this.#open.changes.length === 0) this.#overlay.clear();
    else {
      for (const change of group.changes) {
        if (this.#overlay.get(change.key) === change) this.#overlay.delete(change.key);
      }
    }
    if (group.changes.length > 0) this.#options.committed(group.changes, state.revision);
    for (const waiter of group.waiters) waiter.resolve(waiter.result);
    if (this.#options.pruner.isOverSize(state.logBytes) && !this.#pruneFailed) this.#pruneDue = true;
    this.#next(group);
  }

  #fail(group: CommitGroup, before: StoreState, cause: unknown): void {
    const error = this.#failure(before, cause);
    this.#state = before;
    this.#decided = before.revision;
    this.#overlay.clear();
    const onTop = this.#open;
    this.#open = new CommitGroup();
    for (const waiter of group.waiters) waiter.reject(error);
    for (const waiter of onTop.waiters) waiter.reject(error);
    // The next prune waits for its timer, so that a full disk is not asked again and again.
    this.#pruneDue = false;
    if (group.waiters.length === 0) this.#options.problem(error);
    this.#next(group);
  }

  /** What a failed commit means. Only if LMDB still shows the old state did nothing take place. */
  #failure(before: StoreState, cause: unknown): Error {
    if (this.#broken !== undefined) return this.#broken;
    const error = mediumError(cause, 'writing the store');
    if (this.#isAt(before)) return error;
    this.#break(error);
    return new StorageError('Unknown', `the outcome of the commit is unknown: ${error.message}`, { cause: error });
  }

  #break(error: Error): void {
    this.#broken = new StorageError('Unavailable', `the store failed and must be opened anew: ${error.message}`, {
      cause: error,
    });
  }

  /** Whether LMDB can be read and shows this state. */
  #isAt(state: StoreState): boolean {
    try {
      this.#options.database.refresh();
      return this.#options.database.state()?.revision === state.revision;
    } catch (caught) {
      this.#options.problem(toError(caught));
      return false;
    }
  }

  #next(done: CommitGroup): void {
    this.#inFlight = undefined;
    done.reset();
    this.#spare = done;
    if (!this.#open.isEmpty || (this.#pruneDue && !this.#closed)) this.#schedule();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function isNoOp(current: Version | undefined, value: Uint8Array, ttlMs: number | undefined): boolean {
  if (current === undefined || current.deleted || ttlMs !== undefined || current.expires !== 0) return false;
  return Buffer.compare(current.value, value) === 0;
}

function changesNothing(write: Write, current: Version | undefined): boolean {
  return write.type === 'put' ? isNoOp(current, write.value, write.ttlMs) : current === undefined || current.deleted;
}

/** lmdb rejects a write with an error whose `commitError` is a promise of the reason; by now it is settled. */
async function commitCause(caught: unknown): Promise<unknown> {
  const reason = (caught as { commitError?: Promise<unknown> } | undefined)?.commitError;
  if (reason === undefined) return caught;
  return reason.then(
    () => caught,
    (cause: unknown) => cause,
  );
}
