/**
 * The storage interface, as a specification. `storage.suite.ts` tests every sentence; every driver runs it.
 *
 * A store maps keys (`keys.ts`) to opaque bytes and never looks into them. It has ONE revision, a positive safe integer
 * that only grows: each transaction that changes something takes one number, which all its writes share, a transaction
 * that changes nothing takes none. A fresh store is at revision 1. Revisions survive a restart and are never reused for
 * anything visible.
 *
 * Ordering and visibility
 * - Writes are linearizable. A write is acknowledged only when it is as durable as the driver promises, and is visible
 *   to no reader and no watcher before that. Whoever saw revision R, through any method, finds every later read at R or
 *   above.
 * - Reads without a revision are linearizable: they see every write that was acknowledged before the read began.
 * - Reads and lists are atomic: all they return is one state of the store.
 *
 * Bytes handed in belong to the store from then on, bytes handed out are shared: nobody changes either. A stored value
 * holds no revision of itself: a driver may learn it only at the commit.
 *
 * Every method throws StorageError: `Closed` after stop(), `InvalidArgument` for unfit keys or exceeded LIMITS, and the
 * failures of the medium. Expected outcomes (missing, exists, conflict, compacted, future revision) are values.
 */
import type { Stoppable } from '../base/lifetime.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { KeyRange } from './keys.ts';

export type Revision = number;

/** Bounds that hold for every driver, the smallest of what each can do. */
export const LIMITS = {
  /** Checks and writes in one transaction, together: etcd's `--max-txn-ops` default. */
  transactionOperations: 128,
  /** Bytes of one value: below etcd's `--max-request-bytes` default of 1.5 MiB. */
  valueBytes: 1_500_000,
  /** Bytes of all values in one transaction. */
  transactionBytes: 1_500_000,
} as const;

/** A key's state at some revision. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision that wrote this value. */
  readonly revision: Revision;
  /** The revision that created the key; a key that was deleted and made again has a new one. */
  readonly created: Revision;
  /**
   * The value is stored in an outdated form (`transformed.ts`): writing it again, even unchanged, brings it up to date.
   */
  readonly stale?: boolean;
}

/**
 * The revision asked for is behind the compaction horizon. `horizon` is the oldest revision that can still be asked
 * for.
 */
export interface Compacted {
  readonly outcome: 'compacted';
  readonly horizon: Revision;
}

/** The revision asked for has not been reached. Nobody waited: waiting is the caller's choice (`waitForRevision`). */
export interface Future {
  readonly outcome: 'future';
  readonly current: Revision;
}

export interface ReadOptions {
  /** Read exactly this revision's state. Default: the current state. */
  readonly revision?: Revision;
  /** Read any state at or above this revision: a driver may answer from a state that is older than the current one. */
  readonly atLeast?: Revision;
  /**
   * With `revision`: look behind the compaction horizon, as far as the driver still keeps history (`oldestRevision`).
   * Default false: what is behind the horizon answers `compacted` even though the driver may still have it.
   */
  readonly lookBack?: boolean;
}

export type GetResult =
  | { readonly outcome: 'found'; readonly item: KeyValue; readonly revision: Revision }
  | { readonly outcome: 'missing'; readonly revision: Revision }
  | Compacted
  | Future;

export interface ListOptions extends ReadOptions {
  /** At most this many items, a whole number; 0 or absent means all. */
  readonly limit?: number;
  /** Count only: `items` is empty, `remaining` is the number of all keys in the range. */
  readonly countOnly?: boolean;
}

export type ListResult =
  | {
      readonly outcome: 'ok';
      /** In key order. */
      readonly items: readonly KeyValue[];
      /** The state's revision: ask for further pages with `{ revision }`, `{ start: next }`. */
      readonly revision: Revision;
      /** The key to continue at (as `range.start`); undefined on the last page. */
      readonly next: string | undefined;
      /** Exactly how many keys of the range follow the last item. */
      readonly remaining: number;
    }
  | Compacted
  | Future;

/** What can be read of one state or of the moving present. */
export interface Reader {
  get(key: string, options?: ReadOptions): MaybePromise<GetResult>;
  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult>;
}

/**
 * An immutable state of the whole store. It stays readable, whatever is compacted, until it or its store is stopped;
 * then it is Closed.
 */
export interface Snapshot extends Stoppable {
  readonly revision: Revision;
  get(key: string): MaybePromise<KeyValue | undefined>;
  list(
    range: KeyRange,
    options?: { limit?: number },
  ): MaybePromise<{
    readonly items: readonly KeyValue[];
    readonly next: string | undefined;
    readonly remaining: number;
  }>;
}

export interface WriteOptions {
  /**
   * Delete the key this many milliseconds after the commit, unless it is written again before (each write sets its own
   * time to live, none included). A positive, finite number. Expiry is an ordinary delete with a revision of its own;
   * it comes late, never early, by at most a few seconds while the store is open, and soon after the next opening
   * otherwise.
   */
  readonly ttlMs?: number;
}

export interface CreateOptions extends WriteOptions {
  /**
   * Written over the new key at the next revision, if it was created: what its owner would write next anyway. Watchers
   * hear of both; the answer is that of the creation. In the same commit, so that nobody reads the key in the state
   * between; a driver whose commits cannot write a key twice writes it right after, and a failure of that leaves the
   * creation. Not together with `ttlMs`.
   */
  readonly followedBy?: Uint8Array | undefined;
}

export type WriteResult =
  /**
   * `changed` is false for a no-op: the stored bytes were equal and no ttl is involved; `revision` is then the key's
   * old one.
   */
  | { readonly outcome: 'ok'; readonly revision: Revision; readonly changed: boolean }
  /** The check failed; `current` is the key's state that made it fail. */
  | { readonly outcome: 'conflict'; readonly current: KeyValue | undefined; readonly revision: Revision };

export type DeleteResult =
  /** `deleted` is the last state of the key. */
  | { readonly outcome: 'ok'; readonly revision: Revision; readonly deleted: KeyValue }
  | { readonly outcome: 'missing'; readonly revision: Revision }
  | { readonly outcome: 'conflict'; readonly current: KeyValue; readonly revision: Revision };

/** The key's revision must be this when the transaction commits; 0 means that the key must not exist. */
export interface Check {
  readonly key: string;
  readonly revision: Revision;
}

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly ttlMs?: number }
  | { readonly type: 'delete'; readonly key: string };

export interface Transaction {
  readonly checks: readonly Check[];
  /** Each key at most once. A put of equal bytes without ttl and a delete of a missing key change nothing. */
  readonly writes: readonly Write[];
}

export type TransactionResult =
  /** `changed` is false if no write changed anything; `revision` is then the store's revision. */
  | { readonly outcome: 'ok'; readonly revision: Revision; readonly changed: boolean }
  /** `current` holds the state of every checked key, in the order of `checks`, all from one state. */
  | { readonly outcome: 'conflict'; readonly current: readonly (KeyValue | undefined)[]; readonly revision: Revision };

export type StorageEvent =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly revision: Revision;
      readonly created: Revision;
      /** The state before, if the key existed. Absent in the initial state of a watch. */
      readonly previous: KeyValue | undefined;
      /** As in KeyValue. */
      readonly stale?: boolean;
    }
  | {
      readonly type: 'delete';
      readonly key: string;
      /** The revision of the deletion, not of the last value. */
      readonly revision: Revision;
      readonly previous: KeyValue;
    };

/**
 * Where a watch delivers. Calls never overlap and come in revision order; they must be cheap and must not throw (a
 * throw ends the watch with a BugError). A sink that cannot keep up queues or stops the watch itself: the store holds
 * nothing for it.
 */
export interface WatchSink {
  /**
   * One or more whole revisions: the events of one revision are never split over two calls, in the order of their
   * writes. Every event of the watched ranges is delivered exactly once.
   */
  events(events: readonly StorageEvent[]): void;
  /**
   * All changes of the ranges up to and including this revision have been delivered. Sent after the initial state, on
   * request, and now and then.
   */
  progress(revision: Revision): void;
  /** Last call, once. After stop() by the watcher it comes with `stopped`. */
  end(reason: WatchEnd): void;
}

export type WatchEnd =
  /** By the watcher itself. */
  | { readonly reason: 'stopped' }
  /**
   * The store was stopped. What was delivered is whole revisions in order; a watch that lagged behind may not have seen
   * the last ones and resumes after the last revision it saw.
   */
  | { readonly reason: 'closed' }
  /** History that this watch needs is gone: read the state anew. */
  | { readonly reason: 'compacted'; readonly horizon: Revision }
  | { readonly reason: 'failed'; readonly error: Error };

export interface WatchOptions {
  /** Keys of any of these ranges (prefixes only; `start` is not allowed here). One ordered stream for all of them. */
  readonly ranges: readonly KeyRange[];
  /**
   * - `{ after: R }`: every change with a revision above R. Behind the horizon the watch ends `compacted`. An R of the
   *   future is allowed: delivery begins with R + 1.
   * - `'now'`: every change after the watch was made; a `progress` call says first where that is: at or above every
   *   revision that was acknowledged before the call.
   * - `'state'`: first the present state as put events in key order (no `previous`, each with its own revision, so not
   *   in revision order), then `progress` with the state's revision, then every change.
   */
  readonly from: { readonly after: Revision } | 'now' | 'state';
  readonly lookBack?: boolean;
}

export interface Watch {
  /**
   * No call reaches the sink after this returns; `end` comes within it if it has not come yet. Called inside a call of
   * the sink, `end` follows as soon as that call returns, because calls never overlap.
   */
  stop(): void;
  /** Asks for a `progress` call at the store's present revision or above, also when nothing changes in the ranges. */
  requestProgress(): void;
}

export interface Storage extends Reader, Stoppable {
  /** A word for messages and metrics: `memory`, `lmdb`, `etcd`. */
  readonly driver: string;

  /** The current revision, linearizable: at least that of every write acknowledged before the call. */
  revision(): MaybePromise<Revision>;

  /** Writes a key that must not exist; otherwise `conflict` with the present state. */
  create(key: string, value: Uint8Array, options?: CreateOptions): Promise<WriteResult>;

  /**
   * Writes a key whose revision must be `expected` (0: must not exist). Equal bytes without ttl on either side are a
   * no-op.
   */
  compareAndWrite(key: string, expected: Revision, value: Uint8Array, options?: WriteOptions): Promise<WriteResult>;

  /** Deletes a key; with `expected` only at that revision. */
  delete(key: string, options?: { readonly expected?: Revision }): Promise<DeleteResult>;

  /** All writes or none, at one revision, if all checks hold. */
  transact(transaction: Transaction): Promise<TransactionResult>;

  /** Begins to watch. Nothing is delivered before this returns; the first call comes in a later microtask or turn. */
  watch(options: WatchOptions, sink: WatchSink): Watch;

  /**
   * Moves the compaction horizon up to `revision` (a lower or equal one does nothing; above the current revision is
   * InvalidArgument). From then on reads at an older revision and watches `after` an older one answer `compacted`.
   * Watches in progress that have been delivered past it go on. The driver forgets the history in its own time, not
   * later than its retention says.
   */
  compact(revision: Revision): Promise<void>;

  /** The compaction horizon: the oldest revision that reads without `lookBack` may ask for. */
  horizon(): Revision;

  /** The oldest revision that `lookBack` may ask for. */
  oldestRevision(): Revision;

  snapshot(): MaybePromise<Snapshot>;

  /**
   * Ends the store: writes in flight are finished and answered first, watches end `closed`, later calls throw Closed.
   * Idempotent.
   */
  stop(): Promise<void>;
}

/** A store that can be copied whole. */
export interface ForkableStorage extends Storage {
  /**
   * An independent store with the same contents, revision and history that shares structure; O(1). Changes of one are
   * never seen by the other. With a snapshot of this store it starts from that state (history before it is kept, what
   * came later is not there).
   */
  fork(from?: Snapshot): ForkableStorage;
}

/** Whether a store can be copied whole. */
export function isForkable(storage: Storage): storage is ForkableStorage {
  return typeof (storage as Partial<ForkableStorage>).fork === 'function';
}
