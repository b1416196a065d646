/**
 * The memory driver, for tests and for data that need not survive the process.
 * Invariant: writes are committed one after the other in a microtask. Within that microtask the state changes first,
 * then the watches are called, then the writers are answered.
 */
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import { checkLimit, checkRange, checkRevision, checkTransaction, checkWatch, checkWrite } from '../checks.ts';
import {
  type EmbeddedStorage,
  type ForkableStorage,
  LIMITS,
  type Snapshot,
  type Transaction,
  type TransactionResult,
  type Write,
} from '../embedded-storage.ts';
import { StorageError } from '../errors.ts';
import { checkKey, type KeyRange } from '../keys.ts';
import type {
  Compacted,
  CreateOptions,
  DeleteResult,
  Future,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
  SeenState,
  StorageEvent,
  StorageLimits,
  Watch,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from '../storage.ts';
import { DEFAULT_RETENTION, type Items, type MemoryRetention } from './history.ts';
import { bounds, MemorySnapshot } from './memory-snapshot.ts';
import { MemoryState, type Written } from './memory-state.ts';
import { MemoryWatch } from './memory-watch.ts';

export interface MemoryStorageOptions {
  /** The clock for times to live and for the age of history. Default: the system's clock. */
  readonly clock?: Clock;
  /** How much history is kept. Each field has a default. */
  readonly retention?: Partial<MemoryRetention>;
}

/** Creates an empty store. */
export function createMemoryStorage(options: MemoryStorageOptions = {}): ForkableStorage {
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  return openStorage(options.clock ?? systemClock, retention, new MemoryState());
}

/** Opens a store that owns `state`. */
function openStorage(clock: Clock, retention: MemoryRetention, state: MemoryState): MemoryStorage {
  const storage = new MemoryStorage(clock, retention, state);
  storage.start();
  return storage;
}

interface Pending {
  /** Called first. Applies the write, keeps the result for `answer` and returns the events. */
  commit(now: number): readonly StorageEvent[];
  /** Called after the watches. Settles the promise of the writer. */
  answer(): void;
}

/** A memory store that mirrors another store: its owner applies changes that are already committed there. */
export interface MirrorStorage extends EmbeddedStorage {
  revision(): Revision;
  get(key: string, options?: ReadOptions): GetResult;
  /**
   * Applies the writes at one revision and calls the watches before it returns. `revision` must be above the current
   * revision, and even a write of equal bytes then changes the revision of its key. Without `revision`, the writes are
   * made at the next revision, and writes that change nothing take no revision. Must not be called inside a call of a
   * sink.
   */
  apply(writes: readonly Write[], revision?: Revision): void;
  /** Replaces all items and drops the history. Watches end `compacted`. */
  restart(revision: Revision, items: Iterable<KeyValue>): void;
}

/** Creates a mirror that begins at `revision` with these items, and with no history before it. */
export function createMirrorStorage(
  options: MemoryStorageOptions & { readonly revision: Revision; readonly items: Iterable<KeyValue> },
): MirrorStorage {
  const retention = { ...DEFAULT_RETENTION, ...options.retention };
  return openStorage(options.clock ?? systemClock, retention, MemoryState.startingAt(options.revision, options.items));
}

class MemoryStorage implements ForkableStorage, MirrorStorage {
  readonly driver = 'memory';
  readonly embedded = true;
  readonly limits: StorageLimits = LIMITS;
  readonly #clock: Clock;
  readonly #retention: MemoryRetention;
  readonly #state: MemoryState;
  readonly #watches = new Set<MemoryWatch>();
  readonly #snapshots = new Set<MemorySnapshot>();
  #pending: Pending[] = [];
  #flushScheduled = false;
  #timer: { readonly due: number; readonly timer: Timer } | undefined;
  #closed = false;
  #stopping: Promise<void> | undefined;

  constructor(clock: Clock, retention: MemoryRetention, state: MemoryState) {
    this.#clock = clock;
    this.#retention = retention;
    this.#state = state;
  }

  /** Schedules the expiry of keys. Call it once. */
  start(): void {
    this.#armTimer();
  }

  revision(): Revision {
    this.#assertOpen();
    return this.#state.revision;
  }

  horizon(): Revision {
    this.#assertOpen();
    return this.#state.horizon;
  }

  oldestRevision(): Revision {
    this.#assertOpen();
    return this.#state.history.oldest;
  }

  get(key: string, options: ReadOptions = {}): GetResult {
    this.#assertOpen();
    checkKey(key);
    const state = this.#stateFor(options);
    if ('outcome' in state) return state;
    const item = state.items.get(key);
    return item === undefined
      ? { outcome: 'missing', revision: state.revision }
      : { outcome: 'found', item, revision: state.revision };
  }

  list(range: KeyRange, options: ListOptions = {}): ListResult {
    this.#assertOpen();
    checkRange(range);
    checkLimit(options.limit);
    const state = this.#stateFor(options);
    if ('outcome' in state) return state;
    const { start, end } = bounds(range);
    if (options.countOnly) {
      const remaining = state.items.count(start, end);
      return { outcome: 'ok', items: [], revision: state.revision, next: undefined, remaining };
    }
    const { values, next, remaining } = state.items.page(start, end, options.limit);
    return { outcome: 'ok', items: values, revision: state.revision, next, remaining };
  }

  create(key: string, value: Uint8Array, options: CreateOptions = {}): Promise<WriteResult> {
    return this.#write(key, undefined, value, options);
  }

  compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#write(key, seen, value, { ...options, followedBy: undefined });
  }

  #write(key: string, seen: SeenState | undefined, value: Uint8Array, options: CreateOptions): Promise<WriteResult> {
    return this.#submit(
      () => checkWrite(key, seen, value, options),
      (now) => this.#state.write(key, seen?.revision ?? 0, value, options, now),
    );
  }

  delete(key: string, options: { readonly expected?: Revision } = {}): Promise<DeleteResult> {
    return this.#submit(
      () => {
        checkKey(key);
        if (options.expected !== undefined) checkRevision(options.expected);
      },
      (now) => this.#state.delete(key, options.expected, now),
    );
  }

  transact(transaction: Transaction): Promise<TransactionResult> {
    return this.#submit(
      () => checkTransaction(transaction),
      (now) => this.#state.transact(transaction, now),
    );
  }

  apply(writes: readonly Write[], revision?: Revision): void {
    const now = this.#clock.now();
    const state = this.#state;
    const events = state.applyAt(revision ?? state.revision + 1, writes, now, revision !== undefined);
    state.trim(this.#retention, now);
    if (events.length > 0) for (const watch of this.#watches) watch.deliver(events, state.revision);
  }

  restart(revision: Revision, items: Iterable<KeyValue>): void {
    this.#state.restart(revision, items);
    for (const watch of [...this.#watches]) watch.finish({ reason: 'compacted', horizon: revision });
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    this.#assertOpen();
    checkWatch(options);
    const watch = new MemoryWatch(this.#state, options, sink, (ended) => this.#watches.delete(ended));
    this.#watches.add(watch);
    watch.start();
    return watch;
  }

  async compact(revision: Revision): Promise<void> {
    this.#assertOpen();
    checkRevision(revision);
    if (!this.#state.compact(revision, this.#retention, this.#clock.now())) {
      throw new StorageError(
        'InvalidArgument',
        `cannot compact to revision ${revision}: the store is at ${this.#state.revision}`,
      );
    }
  }

  snapshot(): Snapshot {
    this.#assertOpen();
    const snapshot = new MemorySnapshot(this.#state.clone(), (ended) => this.#snapshots.delete(ended));
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  fork(from?: Snapshot): ForkableStorage {
    this.#assertOpen();
    if (from === undefined) return openStorage(this.#clock, this.#retention, this.#state.clone());
    if (!(from instanceof MemorySnapshot))
      throw new StorageError('InvalidArgument', 'a memory store forks from snapshots of a memory store');
    return openStorage(this.#clock, this.#retention, from.state().clone());
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    this.#closed = true;
    // stop() may have been called inside a call of a sink. That call must return first, because calls never overlap.
    await Promise.resolve();
    this.#flush();
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    for (const watch of [...this.#watches]) watch.finish({ reason: 'closed' });
    for (const snapshot of [...this.#snapshots]) await snapshot.stop();
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageError('Closed', 'the memory store is stopped');
  }

  #stateFor(options: ReadOptions): { readonly items: Items; readonly revision: Revision } | Compacted | Future {
    const state = this.#state;
    const { revision, atLeast = 0 } = options;
    checkRevision(atLeast);
    if (atLeast > state.revision) return { outcome: 'future', current: state.revision };
    if (revision === undefined) return { items: state.items, revision: state.revision };
    checkRevision(revision);
    if (revision > state.revision) return { outcome: 'future', current: state.revision };
    const oldest = options.lookBack ? state.history.oldest : state.horizon;
    if (revision < oldest) return { outcome: 'compacted', horizon: oldest };
    return { items: state.at(revision), revision };
  }

  #submit<R>(check: () => void, commit: (now: number) => Written<R>): Promise<R> {
    const done = new Deferred<R>();
    try {
      this.#assertOpen();
      check();
    } catch (caught) {
      done.reject(toError(caught));
      return done.promise;
    }
    let answer = (): void => {};
    this.#enqueue({
      commit(now) {
        try {
          const { result, events } = commit(now);
          answer = () => done.resolve(result);
          return events;
        } catch (caught) {
          answer = () => done.reject(toError(caught));
          return [];
        }
      },
      answer: () => answer(),
    });
    return done.promise;
  }

  #enqueue(pending: Pending): void {
    this.#pending.push(pending);
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    queueMicrotask(() => this.#flush());
  }

  /** Commits all pending writes, then calls the watches, then answers the writers. */
  #flush(): void {
    this.#flushScheduled = false;
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    const now = this.#clock.now();
    const events: StorageEvent[] = [];
    for (const each of pending) for (const event of each.commit(now)) events.push(event);
    this.#state.trim(this.#retention, now);
    if (events.length > 0) {
      const revision = this.#state.revision;
      for (const watch of this.#watches) watch.deliver(events, revision);
    }
    for (const each of pending) each.answer();
    this.#armTimer();
  }

  #armTimer(): void {
    const next = this.#closed ? undefined : this.#state.deadlines.next();
    if (next?.due === this.#timer?.due) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (next === undefined) return;
    const delayMs = Math.max(0, next.due - this.#clock.now());
    const timer = this.#clock.setTimer(
      delayMs,
      () => {
        this.#timer = undefined;
        this.#enqueue({ commit: (now) => this.#state.expire(now), answer: () => {} });
      },
      { background: true },
    );
    this.#timer = { due: next.due, timer };
  }
}
