/**
 * The write queue with group commit: requests that arrive while a commit is in flight share the next commit. The store
 * is the only writer of its folder, so the requests of a group are decided inside the LMDB transaction that writes
 * them, one after the other.
 * Invariants: one group is in flight at a time. No request is answered, and no change is visible, before its group is
 * durable. A group that fails changes nothing, and the next group is decided on the state before it.
 */
import { constants } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Transaction, TransactionResult } from '../embedded-storage.ts';
import { isStorageError, StorageError } from '../errors.ts';
import type { DeleteResult, Revision, WriteResult } from '../storage.ts';
import { CommitGroup } from './commit-group.ts';
import type { Database } from './database.ts';
import { Decider } from './decider.ts';
import type { DiskRoom } from './disk-room.ts';
import { GroupSize } from './group-size.ts';
import type { KeyChange } from './key-version.ts';
import { mediumError } from './medium-error.ts';
import { type Pruner, type PruneSlice, removePruned } from './pruner.ts';
import { type LogRecord, type StoreState, writeState } from './record.ts';
import type { StateReader } from './state-reader.ts';
import type { CompactRequest, DeleteRequest, Request, TransactRequest, WriteRequest } from './write-request.ts';

/** The most bytes of values that may wait for a commit. Further writes are refused: the disk is too slow for them. */
const MAX_WAITING_BYTES = 256 * 2 ** 20;

export interface WriteQueueOptions {
  readonly database: Database;
  readonly states: StateReader;
  readonly clock: Clock;
  readonly pruner: Pruner;
  readonly state: StoreState;
  /** Called with the changes of a group while the group is synced and the main thread may be idle. */
  readonly decided: (changes: readonly KeyChange[]) => void;
  /** Called when a group is durable, before its writers are answered. `WriteQueue.state` is already the new state. */
  readonly committed: (changes: readonly KeyChange[], revision: Revision) => void;
  readonly problem: (error: Error) => void;
  /** See `Folder.probeRoom`. */
  readonly probeRoom: (bytes: number) => Error | undefined;
  readonly room: DiskRoom;
  /** For tests: called before each commit. If it throws, the commit fails as if the disk had failed. */
  readonly beforeCommit?: (() => void) | undefined;
}

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #decider: Decider;
  #state: StoreState;
  /** Waiting groups, in order. New requests join the last group. */
  readonly #waiting: CommitGroup[] = [];
  readonly #groupSize = new GroupSize();
  #waitingBytes = 0;
  #inFlight = false;
  /** The monotonic time at which the commit of the group in flight began. */
  #takenAt = 0;
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

  /** The durable state, which readers and watchers may see. */
  get state(): StoreState {
    return this.#state;
  }

  /** Writes a key whose revision must be `expected`; 0: the key must not exist. */
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

  /** Moves the compaction horizon. */
  async compact(horizon: Revision): Promise<void> {
    const request: CompactRequest = { kind: 'compact', horizon, result: undefined, error: undefined };
    await this.#enqueue(request, 0);
    answerOf(request);
  }

  /** Prunes history that exceeds the retention, as a part of the next commits. */
  prune(): void {
    if (this.#closed || this.#pruneFailed || this.#broken !== undefined) return;
    this.#pruneDue = true;
    this.#begin();
  }

  /** Refuses further requests. Resolves when all accepted requests are answered. */
  close(): Promise<void> {
    this.#closed = true;
    if (!this.#inFlight && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Resolves when the request is decided and durable. */
  #enqueue(request: Request, bytes: number): Promise<void> {
    if (this.#closed) throw new StorageError('Closed', 'the store is stopped');
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      throw new StorageError('Unavailable', `more than ${MAX_WAITING_BYTES} bytes wait to be written`);
    }
    let open = this.#waiting.at(-1);
    if (open === undefined || open.isFull) {
      open = new CommitGroup(this.#groupSize.most);
      this.#waiting.push(open);
    }
    this.#waitingBytes += bytes;
    const settled = open.join(request, bytes);
    if (open.isFull) open.fullAt = this.#options.clock.monotonic();
    this.#begin();
    return settled;
  }

  /**
   * Begins the next commit, unless one is in flight. lmdb starts the transaction in a later turn. Requests can join the
   * first group until then: those of this turn, and those that clients send when the previous commit is answered.
   */
  #begin(): void {
    if (this.#inFlight) return;
    const pruned = this.#pruneDue && !this.#closed ? this.#nextPrune() : undefined;
    if (this.#waiting.length === 0 && pruned === undefined) return;
    this.#inFlight = true;
    const before = this.#state;
    // History is not readable once its pruning has begun.
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
      refused = this.#options.room.check({
        requests: group.requests.length,
        bytes: group.bytes,
        pruned: pruned === undefined ? 0 : pruned.positions.length + pruned.keys.length,
      });
      if (refused !== undefined) return;
      try {
        after = this.#decide(group, before, pruned);
        const { changes } = this.#decider;
        // The microtask runs after the transaction was handed to lmdb's thread.
        if (changes.length > 0) queueMicrotask(() => this.#options.decided(changes));
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
        // LMDB must fail the commit of a transaction in which a write failed. Otherwise a part of the group is on disk.
        if (caught === thrown && this.#broken === undefined) this.#break(toError(caught));
        this.#fail(group, before, this.#explain(await commitCause(caught), group));
      },
    );
  }

  #takeGroup(): CommitGroup {
    const group = this.#waiting.shift() ?? new CommitGroup(this.#groupSize.most);
    this.#waitingBytes -= group.bytes;
    this.#takenAt = this.#options.clock.monotonic();
    return group;
  }

  /** Decides the requests of a group. Called inside the transaction. Returns the state after the transaction. */
  #decide(group: CommitGroup, before: StoreState, pruned: PruneSlice | undefined): StoreState {
    const { database } = this.#options;
    this.#checkAlone(before.revision);
    if (pruned !== undefined) removePruned(database, pruned);
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
    // The state is written last, so that a commit without its state record can be detected.
    database.putStateSync(writeState(after));
    return after;
  }

  /**
   * Returns the cause of a failed commit. LMDB reports EIO for a partial write, also when the disk becomes full; a test
   * write tells the two apart.
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
      // Damaged history cannot be pruned: a damaged record does not tell which record it replaced.
      this.#pruneDue = false;
      this.#pruneFailed = true;
      this.#options.problem(toError(caught));
      return undefined;
    }
  }

  /**
   * Throws if another process has committed, before requests are decided on a wrong state. The lock file does not
   * exclude every process; see `folder-lock.ts`.
   */
  #checkAlone(revision: Revision): void {
    const found = this.#options.database.state()?.revision;
    if (found === revision) return;
    this.#broken = new StorageError(
      'Unavailable',
      `the data folder was written by another process (revision ${found}, expected ${revision}): open the store again`,
    );
    throw this.#broken;
  }

  #finish(group: CommitGroup, state: StoreState): void {
    this.#state = state;
    const { changes } = this.#decider;
    if (changes.length > 0) this.#options.committed(changes, state.revision);
    group.resolve();
    this.#measure(group);
    if (this.#options.pruner.isOverSize(state.logBytes) && !this.#pruneFailed) this.#pruneDue = true;
    this.#next();
  }

  #measure(group: CommitGroup): void {
    const now = this.#options.clock.monotonic();
    const fullAt = this.#waiting[0]?.fullAt;
    this.#groupSize.synced({
      requests: group.requests.length,
      tookMs: now - this.#takenAt,
      waiting: this.#waiting.length,
      fullForMs: fullAt === undefined ? undefined : now - fullAt,
    });
  }

  #fail(group: CommitGroup, before: StoreState, cause: unknown): void {
    const error = this.#failure(before, cause);
    this.#state = before;
    group.reject(error);
    // Pruning is tried again by its timer, not with the next commit, so that a full disk is not written again and
    // again.
    this.#pruneDue = false;
    if (group.requests.length === 0) this.#options.problem(error);
    this.#next();
  }

  /** Returns the error of a failed commit. Its code is `Unknown` unless LMDB still has the state before the commit. */
  #failure(before: StoreState, cause: unknown): Error {
    if (this.#broken !== undefined) return this.#broken;
    const error = mediumError(cause, 'writing the store');
    if (isStorageError(error, 'NoSpace')) this.#options.room.failed();
    if (this.#isAt(before)) return error;
    this.#break(error);
    return new StorageError('Unknown', `the outcome of the commit is unknown: ${error.message}`, { cause: error });
  }

  #break(error: Error): void {
    this.#broken = new StorageError('Unavailable', `the store failed and must be opened again: ${error.message}`, {
      cause: error,
    });
  }

  /** Whether LMDB can be read and has this state. */
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

/**
 * lmdb rejects a write with an error whose `commitError` is a promise for the reason. That promise is settled by now.
 */
async function commitCause(caught: unknown): Promise<unknown> {
  const reason = (caught as { commitError?: Promise<unknown> } | undefined)?.commitError;
  if (reason === undefined) return caught;
  return reason.then(
    () => caught,
    (cause: unknown) => cause,
  );
}
