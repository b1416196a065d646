/**
 * Writes, grouped: what arrives while a commit is under way shares the next one. The store is the only writer of its
 * folder, so a group is decided inside the LMDB transaction that writes it, request by request, on LMDB's own state.
 * Invariants: one group is in flight at a time; nothing is answered, and nothing becomes visible, before its group is
 * durable; a group that fails changes nothing, and those behind it are decided on the state before it.
 */
import { constants } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import type { DeleteResult, Revision, Transaction, TransactionResult, WriteResult } from '../storage.ts';
import { CommitGroup } from './commit-group.ts';
import type { Database } from './database.ts';
import { Decider } from './decider.ts';
import type { KeyChange } from './key-version.ts';
import { mediumError } from './medium-error.ts';
import type { Pruner, PruneSlice } from './pruner.ts';
import { type LogRecord, type StoreState, writeState } from './record.ts';
import type { StateReader } from './state-reader.ts';
import type { CompactRequest, DeleteRequest, Request, TransactRequest, WriteRequest } from './write-request.ts';

/** Values that may wait for a commit; beyond it writes are refused, because the disk does not keep up. */
const MAX_WAITING_BYTES = 256 * 2 ** 20;

export interface WriteQueueOptions {
  readonly database: Database;
  readonly states: StateReader;
  readonly clock: Clock;
  readonly pruner: Pruner;
  readonly state: StoreState;
  /** Called when a group is durable, before its writers are answered; `state()` is already the new one. */
  readonly committed: (changes: readonly KeyChange[], revision: Revision) => void;
  readonly problem: (error: Error) => void;
  /** Tries whether the folder takes this many bytes more, and returns the error if not. */
  readonly probeRoom: (bytes: number) => Error | undefined;
  /** Called before a group is handed to LMDB; a throw fails the commit as LMDB would. For tests of failing media. */
  readonly beforeCommit?: (() => void) | undefined;
}

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #decider: Decider;
  #state: StoreState;
  /** Groups that wait, in order; the last one is open. */
  readonly #waiting: CommitGroup[] = [];
  #waitingBytes = 0;
  #inFlight = false;
  #pruneDue = false;
  #pruneFailed = false;
  #closed = false;
  #broken: StorageError | undefined;
  #idle: (() => void)[] = [];

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#decider = new Decider(options.database, options.states, options.clock);
  }

  /** The durable state: what readers and watchers may see. */
  get state(): StoreState {
    return this.#state;
  }

  /** Writes a key whose revision must be `expected`; 0: must not exist. */
  async write(
    key: string,
    expected: Revision,
    value: Uint8Array,
    ttlMs: number | undefined,
    followedBy?: Uint8Array,
  ): Promise<WriteResult> {
    const decided = { result: undefined, error: undefined };
    const request: WriteRequest = { kind: 'write', key, expected, value, ttlMs, followedBy, ...decided };
    await this.#enqueue(request, value.byteLength + (followedBy?.byteLength ?? 0));
    return answerOf(request);
  }

  async delete(key: string, expected: Revision | undefined): Promise<DeleteResult> {
    const request: DeleteRequest = { kind: 'delete', key, expected, result: undefined, error: undefined };
    await this.#enqueue(request, 0);
    return answerOf(request);
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    const request: TransactRequest = { kind: 'transact', transaction, result: undefined, error: undefined };
    let bytes = 0;
    for (const write of transaction.writes) if (write.type === 'put') bytes += write.value.byteLength;
    await this.#enqueue(request, bytes);
    return answerOf(request);
  }

  /** Moves the horizon, durably. */
  async compact(horizon: Revision): Promise<void> {
    const request: CompactRequest = { kind: 'compact', horizon, result: undefined, error: undefined };
    await this.#enqueue(request, 0);
    answerOf(request);
  }

  /** Looks for history that is too old, in the next commits. */
  prune(): void {
    if (this.#closed || this.#pruneFailed || this.#broken !== undefined) return;
    this.#pruneDue = true;
    this.#begin();
  }

  /** Refuses further writes and resolves when all that were accepted are answered. */
  close(): Promise<void> {
    this.#closed = true;
    if (!this.#inFlight && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Resolves when the request was decided and is durable. */
  #enqueue(request: Request, bytes: number): Promise<void> {
    if (this.#closed) throw new StorageError('Closed', 'the store is stopped');
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      throw new StorageError('Unavailable', `more than ${MAX_WAITING_BYTES} bytes wait to be written`);
    }
    let open = this.#waiting.at(-1);
    if (open === undefined || open.isFull) {
      open = new CommitGroup();
      this.#waiting.push(open);
    }
    this.#waitingBytes += bytes;
    const settled = open.join(request, bytes);
    this.#begin();
    return settled;
  }

  /**
   * Asks lmdb for a transaction, which it begins in a later turn; whoever has joined the first group by then shares its
   * sync: all who write in this turn, or are answered by the last commit.
   */
  #begin(): void {
    if (this.#inFlight) return;
    const pruned = this.#pruneDue && !this.#closed ? this.#nextPrune() : undefined;
    if (this.#waiting.length === 0 && pruned === undefined) return;
    this.#inFlight = true;
    const before = this.#state;
    // What is about to be forgotten is no longer readable.
    if (pruned !== undefined) {
      this.#state = { ...before, floor: pruned.floor, horizon: Math.max(before.horizon, pruned.floor) };
    }
    let group: CommitGroup | undefined;
    let after = before;
    let refused: unknown;
    let thrown: unknown;
    const decide = (): void => {
      group = this.#takeGroup();
      try {
        this.#options.beforeCommit?.();
      } catch (caught) {
        refused = caught;
        return;
      }
      try {
        after = this.#decide(group, before, pruned);
      } catch (caught) {
        thrown = caught;
        throw caught;
      }
    };
    this.#options.database.commit(decide).then(
      () => {
        if (refused === undefined) this.#finish(group as CommitGroup, after);
        else this.#fail(group as CommitGroup, before, refused);
      },
      async (caught: unknown) => {
        group ??= this.#takeGroup();
        // LMDB fails the commit of a transaction that went wrong; if it did not, a part of the group is on disk.
        if (caught === thrown && this.#broken === undefined) this.#break(toError(caught));
        this.#fail(group, before, this.#explain(await commitCause(caught), group));
      },
    );
  }

  #takeGroup(): CommitGroup {
    const group = this.#waiting.shift() ?? new CommitGroup();
    this.#waitingBytes -= group.bytes;
    return group;
  }

  /** Runs inside the transaction; returns the state after it. */
  #decide(group: CommitGroup, before: StoreState, pruned: PruneSlice | undefined): StoreState {
    const { database } = this.#options;
    this.#checkAlone(before.revision);
    if (pruned !== undefined) {
      for (const position of pruned.positions) database.log.removeSync(position);
      for (const key of pruned.keys) {
        database.keys.removeSync(key);
        database.dead.removeSync(key);
      }
    }
    const decider = this.#decider;
    decider.begin(before.revision);
    for (const request of group.requests) decider.decide(request);
    if (decider.changes.length === 0 && decider.horizon === 0 && pruned === undefined) return before;
    const floor = pruned?.floor ?? before.floor;
    const after: StoreState = {
      format: before.format,
      revision: decider.revision,
      horizon: Math.max(before.horizon, decider.horizon, floor),
      floor,
      logBytes: before.logBytes + decider.bytes - (pruned?.bytes ?? 0),
    };
    // Last, so that a commit without its state record can be told from a whole one.
    database.putStateSync(writeState(after));
    return after;
  }

  /**
   * LMDB says EIO when a write came to an end half-way, which is how a disk becomes full: whether it is, is asked by
   * writing.
   */
  #explain(cause: unknown, group: CommitGroup): unknown {
    if ((cause as { code?: unknown }).code !== constants.errno.EIO) return cause;
    return this.#options.probeRoom(group.bytes) ?? cause;
  }

  #nextPrune(): PruneSlice | undefined {
    try {
      const slice = this.#options.pruner.slice(
        this.#state,
        (record: LogRecord) => this.#options.database.head(record.key)?.position === record.position,
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

  /**
   * The lock file cannot see every process; a foreign commit shows here, before ours would be decided on a false state.
   */
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
    const { changes } = this.#decider;
    if (changes.length > 0) this.#options.committed(changes, state.revision);
    group.resolve();
    if (this.#options.pruner.isOverSize(state.logBytes) && !this.#pruneFailed) this.#pruneDue = true;
    this.#next();
  }

  #fail(group: CommitGroup, before: StoreState, cause: unknown): void {
    const error = this.#failure(before, cause);
    this.#state = before;
    group.reject(error);
    // The next prune waits for its timer, so that a full disk is not asked again and again.
    this.#pruneDue = false;
    if (group.requests.length === 0) this.#options.problem(error);
    this.#next();
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

  #next(): void {
    this.#inFlight = false;
    if (this.#broken !== undefined) {
      for (const group of this.#waiting.splice(0)) group.reject(this.#broken);
      this.#waitingBytes = 0;
    }
    if (this.#waiting.length > 0 || (this.#pruneDue && !this.#closed)) this.#begin();
    if (!this.#inFlight) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function answerOf<R>(request: { readonly result: R | undefined; readonly error: Error | undefined }): R {
  if (request.error !== undefined) throw request.error;
  return request.result as R;
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
