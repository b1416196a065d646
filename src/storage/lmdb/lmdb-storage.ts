/** The LMDB driver: `Storage` over one data folder. It checks arguments and composes the other parts of this folder. */
import type { Clock, Timer } from '../../base/clock.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import {
  checkFollowing,
  checkLimit,
  checkRange,
  checkRevision,
  checkTransaction,
  checkTtl,
  checkValue,
  checkWatch,
  expectedRevision,
} from '../checks.ts';
import {
  type EmbeddedStorage,
  LIMITS,
  type Snapshot,
  type Transaction,
  type TransactionResult,
} from '../embedded-storage.ts';
import { StorageError } from '../errors.ts';
import { checkKey, type KeyRange } from '../keys.ts';
import type { SizedStorage } from '../sized-storage.ts';
import type {
  Compacted,
  CreateOptions,
  DeleteResult,
  Future,
  GetResult,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
  SeenState,
  StorageLimits,
  Watch,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from '../storage.ts';
import type { Database } from './database.ts';
import { DiskRoom } from './disk-room.ts';
import { Expiry } from './expiry.ts';
import type { Folder } from './folder.ts';
import { LmdbSnapshot } from './lmdb-snapshot.ts';
import { Pruner } from './pruner.ts';
import type { StoreState } from './record.ts';
import type { Retention } from './retention.ts';
import { StateReader } from './state-reader.ts';
import { WatchHub } from './watch-hub.ts';
import { WriteQueue } from './write-queue.ts';

export interface LmdbStorageParts {
  readonly folder: Folder;
  readonly database: Database;
  readonly state: StoreState;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly problem: (error: Error) => void;
  readonly beforeCommit?: (() => void) | undefined;
}

export class LmdbStorage implements EmbeddedStorage, SizedStorage {
  readonly driver = 'lmdb';
  readonly embedded = true;
  readonly limits: StorageLimits = LIMITS;
  readonly imported: boolean;
  readonly #parts: LmdbStorageParts;
  readonly #states: StateReader;
  readonly #pruner: Pruner;
  readonly #queue: WriteQueue;
  readonly #hub: WatchHub;
  readonly #expiry: Expiry;
  #pruneTimer: Timer | undefined;
  #stopping: Promise<void> | undefined;

  constructor(parts: LmdbStorageParts) {
    const { database, clock, problem } = parts;
    this.#parts = parts;
    this.imported = database.isImported();
    this.#states = new StateReader(database);
    this.#pruner = new Pruner(database, clock, parts.retention);
    this.#queue = new WriteQueue({
      database,
      states: this.#states,
      clock,
      pruner: this.#pruner,
      state: parts.state,
      problem,
      probeRoom: (bytes) => parts.folder.probeRoom(bytes),
      room: new DiskRoom({
        dataFile: parts.folder.dataFile,
        pageSize: database.pageSize,
        clock,
        lastPage: () => database.lastPage(),
      }),
      beforeCommit: parts.beforeCommit,
      decided: (changes) => this.#hub.prepare(changes),
      committed: (changes, revision) => {
        this.#expiry.committed(changes);
        this.#hub.deliver(changes, revision);
      },
    });
    this.#hub = new WatchHub({
      database,
      states: this.#states,
      revision: () => this.#queue.state.revision,
      oldest: (lookBack) => (lookBack ? this.#queue.state.floor : this.#queue.state.horizon),
      pin: (revision) => this.#pruner.pin(revision),
      problem,
    });
    this.#expiry = new Expiry({
      database,
      clock,
      revision: () => this.#queue.state.revision,
      remove: async (key, expected) => this.#queue.delete(key, expected),
      problem,
    });
  }

  /** Starts the timers of expiry and pruning. Call it once. */
  start(): void {
    this.#expiry.start();
    this.#armPrune();
  }

  revision(): Revision {
    return this.#open().revision;
  }

  /** The bytes of the data file up to the last page that LMDB uses. Free pages before it count. */
  size(): number {
    this.#open();
    const { database } = this.#parts;
    return (database.lastPage() + 1) * database.pageSize;
  }

  horizon(): Revision {
    return this.#open().horizon;
  }

  oldestRevision(): Revision {
    return this.#open().floor;
  }

  get(key: string, options: ReadOptions = {}): GetResult {
    const state = this.#open();
    checkKey(key);
    const refused = refuse(state, options);
    if (refused !== undefined) return refused;
    const revision = options.revision ?? state.revision;
    const item = this.#states.get(key, revision);
    return item === undefined ? { outcome: 'missing', revision } : { outcome: 'found', item, revision };
  }

  list(range: KeyRange, options: ListOptions = {}): MaybePromise<ListResult> {
    const state = this.#open();
    checkRange(range);
    checkLimit(options.limit);
    const refused = refuse(state, options);
    if (refused !== undefined) return refused;
    const revision = options.revision ?? state.revision;
    const unpin = this.#pruner.pin(revision);
    try {
      const page = this.#states.page({
        range,
        revision,
        limit: options.limit ?? 0,
        countOnly: options.countOnly ?? false,
      });
      if (page instanceof Promise) {
        return page.then((done): ListResult => ({ outcome: 'ok', ...done, revision })).finally(unpin);
      }
      unpin();
      return { outcome: 'ok', ...page, revision };
    } catch (caught) {
      unpin();
      throw caught;
    }
  }

  create(key: string, value: Uint8Array, options?: CreateOptions): Promise<WriteResult> {
    return this.#write(key, undefined, value, options?.ttlMs, options?.followedBy);
  }

  compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    return this.#write(key, seen, value, options?.ttlMs, undefined);
  }

  #write(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    ttlMs: number | undefined,
    followedBy: Uint8Array | undefined,
  ): Promise<WriteResult> {
    try {
      this.#open();
      checkKey(key);
      const expected = expectedRevision(seen);
      checkValue(key, value);
      checkTtl(key, ttlMs);
      checkFollowing(key, followedBy, ttlMs);
      return this.#queue.write(key, expected, value, ttlMs, followedBy);
    } catch (caught) {
      return Promise.reject(caught);
    }
  }

  async delete(key: string, options: { readonly expected?: Revision } = {}): Promise<DeleteResult> {
    this.#open();
    checkKey(key);
    if (options.expected !== undefined) checkRevision(options.expected);
    return this.#queue.delete(key, options.expected);
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    this.#open();
    checkTransaction(transaction);
    return this.#queue.transact(transaction);
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    this.#open();
    checkWatch(options);
    return this.#hub.watch(options, sink);
  }

  async compact(revision: Revision): Promise<void> {
    const state = this.#open();
    checkRevision(revision);
    if (revision > state.revision) {
      const message = `cannot compact up to revision ${revision}: the store is at ${state.revision}`;
      throw new StorageError('InvalidArgument', message);
    }
    if (revision > state.horizon) await this.#queue.compact(revision);
  }

  snapshot(): Snapshot {
    const { revision } = this.#open();
    return new LmdbSnapshot(
      revision,
      this.#states,
      () => this.#pruner.pin(revision),
      () => void this.#open(),
    );
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    this.#pruneTimer?.cancel();
    this.#expiry.stop();
    await this.#queue.close();
    this.#hub.endAll({ reason: 'closed' });
    this.#states.close();
    try {
      await this.#parts.database.close();
    } finally {
      this.#parts.folder.release();
    }
  }

  /** The durable state. Throws Closed once stop() was called. */
  #open(): StoreState {
    if (this.#stopping !== undefined) throw new StorageError('Closed', 'the store is stopped');
    return this.#queue.state;
  }

  #armPrune(): void {
    this.#pruneTimer = this.#parts.clock.setTimer(
      this.#pruner.interval,
      () => {
        this.#parts.database.freeDeadReaders();
        this.#queue.prune();
        this.#armPrune();
      },
      { background: true },
    );
  }
}

/**
 * Returns the result of a read whose revision is not reached yet or is below the horizon; undefined for other reads.
 */
function refuse(state: StoreState, options: ReadOptions): Compacted | Future | undefined {
  const { revision, atLeast } = options;
  if (revision !== undefined) checkRevision(revision);
  if (atLeast !== undefined) checkRevision(atLeast);
  if (Math.max(revision ?? 0, atLeast ?? 0) > state.revision) return { outcome: 'future', current: state.revision };
  const horizon = options.lookBack ? state.floor : state.horizon;
  if (revision !== undefined && revision < horizon) return { outcome: 'compacted', horizon };
  return undefined;
}
