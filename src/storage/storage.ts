/**
 * The storage interface, as a specification. Every driver runs `storage.suite.ts`, which tests each statement of this
 * file.
 *
 * A store maps keys (`keys.ts`) to opaque bytes and never looks into them. It has ONE revision, a positive safe integer
 * that only grows. Each write that changes a key gets a new, higher revision; a no-op gets none. Revisions may have
 * gaps, because other processes may write to the same medium. Revisions survive a restart. A revision that a reader or
 * a watcher has seen is never reused.
 *
 * One revision changes one key, so a watch can resume after any revision that it has seen (k/k#110210). There are two
 * exceptions: keys that expire together, and transactions of an embedded store, which no server uses.
 *
 * Ordering and visibility
 * - Writes are linearizable. No reader and no watcher sees a write before it is as durable as the driver promises. The
 *   acknowledgement of a write and its event on a watch are unordered: a writer that needs its own event waits for its
 *   watch to reach the revision. A caller that saw revision R, through any method of one store, gets every later read
 *   at R or above.
 * - Reads without a revision are linearizable: they see every write that was acknowledged before the read began.
 * - A read or a list is atomic: it returns one state of the store.
 *
 * The store takes ownership of the bytes that it is given, and shares the bytes that it returns: callers must not
 * change either. A stored value does not contain its own revision, because a driver may learn the revision only at the
 * commit.
 *
 * Every method throws StorageError: `Closed` after stop(), `InvalidArgument` for invalid keys and exceeded limits, and
 * another code for a failure of the medium. Expected outcomes (missing, exists, conflict, compacted, future revision)
 * are results.
 */
import type { Clock } from '../base/clock.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { KeyRange } from './keys.ts';

export type Revision = number;

/** The limits of a driver. They apply to the bytes as stored, after a `ValueTransformer` has run. */
export interface StorageLimits {
  /** The most bytes of one value. */
  readonly valueBytes: number;
}

/** The state of a key at some revision. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision that wrote this value. */
  readonly revision: Revision;
  /** The revision that created the key. A key that was deleted and created again has a new `created`. */
  readonly created: Revision;
  /**
   * The value is stored in an outdated form (`transformed.ts`). A write of the same value stores it in the current
   * form.
   */
  readonly stale?: boolean;
}

/** The state of a key as the caller of a write has read it. */
export type SeenState = Pick<KeyValue, 'revision' | 'value' | 'stale'>;

/** The requested revision is below the compaction horizon. `horizon` is as in `Storage.horizon`. */
export interface Compacted {
  readonly outcome: 'compacted';
  readonly horizon: Revision;
}

/** The requested revision has not been reached. The store does not wait for it; a caller may (`waitForRevision`). */
export interface Future {
  readonly outcome: 'future';
  readonly current: Revision;
}

export interface ReadOptions {
  /** Read the state at exactly this revision. Default: the current state. */
  readonly revision?: Revision;
  /** Read any state at or above this revision. A driver may answer with a state that is older than the current one. */
  readonly atLeast?: Revision;
  /**
   * With `revision`, on an embedded store: allow revisions below the compaction horizon, down to `oldestRevision`.
   * Default false: the answer is `compacted` even if the driver still has the state. Other stores ignore it.
   */
  readonly lookBack?: boolean;
}

export type GetResult =
  | { readonly outcome: 'found'; readonly item: KeyValue; readonly revision: Revision }
  | { readonly outcome: 'missing'; readonly revision: Revision }
  | Compacted
  | Future;

export interface ListOptions extends ReadOptions {
  /** The most items to return, a non-negative integer. 0 or absent: all. */
  readonly limit?: number;
  /**
   * A hint that the caller will request the next page, with this limit and at the revision of the result. A driver may
   * read that page in advance. Default: no page follows.
   */
  readonly nextLimit?: number;
  /** Only count the keys: `items` is empty, and `remaining` is the number of keys in the range. */
  readonly countOnly?: boolean;
}

export type ListResult =
  | {
      readonly outcome: 'ok';
      /** In key order. */
      readonly items: readonly KeyValue[];
      /** The revision of the state. Request further pages with this `revision` and with `start: next`. */
      readonly revision: Revision;
      /** The key where the next page starts (`range.start`); undefined on the last page. */
      readonly next: string | undefined;
      /** The exact number of keys of the range that follow the last item. */
      readonly remaining: number;
    }
  | Compacted
  | Future;

/** The read methods of a store. */
export interface Reader {
  /**
   * Reads one key. `compacted` and `future` are results of reads at a given revision. Returns a promise only if the
   * driver has to wait.
   */
  get(key: string, options?: ReadOptions): MaybePromise<GetResult>;
  /** Reads the keys of a range in key order, all of one state. Otherwise like `get`. */
  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult>;
}

export interface WriteOptions {
  /**
   * The time to live: the key is deleted this many milliseconds after the commit, unless it is written again before. A
   * positive, finite number. Each write replaces the time to live of the key; a write without `ttlMs` removes it. A
   * driver may round the time up to whole seconds and to at least 2 seconds, and may add the time for which keys share
   * a lease. Expiry is an ordinary delete. Up to 1,000 keys that expire together may share a revision. Expiry is never
   * early. It is late by at most a few seconds while the store is open; keys that expire while the store is closed are
   * deleted soon after the next opening.
   */
  readonly ttlMs?: number;
}

export interface CreateOptions extends WriteOptions {
  /**
   * A second value of the key. If the key was created, the store writes this value at the next revision. Watchers get
   * both events; the result is that of the creation. If the bytes equal the first value, the second write is left out.
   * An embedded store writes both values in one commit, so no reader sees the first one as the current state. Other
   * drivers write the second value right after the first, if no other writer has changed the key meanwhile; if the
   * second write fails, the creation stands. Must not be combined with `ttlMs`. See
   * docs/decisions/0029-second-revision-of-a-create.md.
   */
  readonly followedBy?: Uint8Array | undefined;
}

export type WriteResult =
  /**
   * `changed` is false for a no-op: the stored bytes were equal, and neither the old nor the new value has a time to
   * live. `revision` is then the revision of the stored value.
   */
  | { readonly outcome: 'ok'; readonly revision: Revision; readonly changed: boolean }
  /** The key is not as the caller expected. `current` is its state; undefined: the key does not exist. */
  | { readonly outcome: 'conflict'; readonly current: KeyValue | undefined; readonly revision: Revision };

export type DeleteResult =
  /** `deleted` is the last state of the key. */
  | { readonly outcome: 'ok'; readonly revision: Revision; readonly deleted: KeyValue }
  | { readonly outcome: 'missing'; readonly revision: Revision }
  | { readonly outcome: 'conflict'; readonly current: KeyValue; readonly revision: Revision };

export type StorageEvent =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly revision: Revision;
      readonly created: Revision;
      /** The previous state, if the key existed; see `WatchOptions.previous`. Absent in the initial state of a watch. */
      readonly previous?: KeyValue | undefined;
      /** See `KeyValue.stale`. */
      readonly stale?: boolean;
      /** See `FromStorage.isOwn`. */
      readonly isOwn?: boolean | undefined;
    }
  | {
      readonly type: 'delete';
      readonly key: string;
      /** The revision of the deletion. */
      readonly revision: Revision;
      /** The last state of the key; see `WatchOptions.previous`. */
      readonly previous?: KeyValue | undefined;
    };

export type PutEvent = Extract<StorageEvent, { readonly type: 'put' }>;

/**
 * The receiver of a watch. Calls never overlap and are made in revision order. A call must be cheap and must not throw:
 * a throw ends the watch with a BugError. The store queues nothing for a sink. A sink that cannot keep up must queue
 * events itself or stop the watch.
 */
export interface WatchSink {
  /**
   * Delivers the events of one or more revisions, within a revision in the order of its writes. The events of one
   * revision are never split over two calls. Every event of the watched ranges is delivered exactly once.
   */
  events(events: readonly StorageEvent[]): void;
  /**
   * Announces events of this process whose commit has begun. A later call of `events` delivers the same event objects,
   * unless the commit fails. A sink may prepare work for these events, but must not show them to anyone. A driver need
   * not call this method.
   */
  prepare?(events: readonly StorageEvent[]): void;
  /**
   * Reports that all changes of the ranges up to and including this revision have been delivered. Called after the
   * initial state, on request, and from time to time.
   */
  progress(revision: Revision): void;
  /** Called once, as the last call of the sink. After `stop()` of the watch the reason is `stopped`. */
  end(reason: WatchEnd): void;
}

export type WatchEnd =
  /** `stop()` of the watch was called. */
  | { readonly reason: 'stopped' }
  /**
   * The store was stopped. Only whole revisions were delivered, in order. A watch that lagged behind may have missed
   * the last revisions; a new watch can resume after the last revision that it saw.
   */
  | { readonly reason: 'closed' }
  /** The store no longer has the history that this watch needs: the caller must read the state again. */
  | { readonly reason: 'compacted'; readonly horizon: Revision }
  | { readonly reason: 'failed'; readonly error: Error };

export interface WatchOptions {
  /** The watched keys. `start` is not allowed. All ranges share one ordered stream. */
  readonly ranges: readonly KeyRange[];
  /**
   * - `{ after: R }`: every change above R. If R is below the horizon, the watch ends `compacted`. R may be above the
   *   store's revision: delivery begins with R + 1.
   * - `'now'`: every change above a starting revision. The first call of the sink is `progress` with the starting
   *   revision, which is at or above every revision that was acknowledged before the call of `watch`. A write that is
   *   made between the two calls may be below the starting revision and is then not delivered.
   * - `'state'`: the current state as put events in key order, then `progress` with the revision of the state, then
   *   every change. The put events have no `previous`. Each has the revision of its key, so they are not in revision
   *   order.
   */
  readonly from: { readonly after: Revision } | 'now' | 'state';
  /**
   * Whether events must have `previous`. Default false: events have it on embedded stores only. A watch ends
   * `compacted` if the driver no longer has a previous state. On etcd each such watch needs its own watcher.
   */
  readonly previous?: boolean;
  /**
   * With `after`, on an embedded store: allow a start below the compaction horizon, down to `oldestRevision`. Default
   * false. Other stores ignore it.
   */
  readonly lookBack?: boolean;
}

export interface Watch {
  /**
   * Ends the watch. The sink's `end` is called before `stop` returns, unless it was called earlier; no call follows. If
   * `stop` is called inside a call of the sink, `end` is called when that call returns, because calls never overlap.
   */
  stop(): void;
  /**
   * Requests a `progress` call at or above every revision that a method of the store has returned so far, even if
   * nothing changes in the ranges.
   */
  requestProgress(): void;
}

export interface CompactorOptions {
  readonly clock: Clock;
  /**
   * The time between two compactions. Default 5 minutes; 0: never, as for kube-apiserver's
   * `--etcd-compaction-interval`.
   */
  readonly intervalMs?: number;
  /**
   * Called when a compaction fails; the compactor tries again at the next interval. Not called when the store is
   * stopped, which ends the compactor.
   */
  readonly onError: (error: Error) => void;
}

export interface Storage extends Reader, Stoppable {
  /** A name for messages and metrics: `memory`, `lmdb`, `etcd`. */
  readonly driver: string;

  /** Whether this is an `EmbeddedStorage`. */
  readonly embedded: boolean;

  readonly limits: StorageLimits;

  /**
   * Whether an import has filled the store with values that kube-apiserver has encoded. Default false. A server decodes
   * the values of such a store as it decodes those of etcd.
   */
  readonly imported?: boolean;

  /** Whether any item may be `stale`. Default false. */
  readonly mayBeStale?: boolean;

  /** The current revision. Linearizable: at least the revision of every write that was acknowledged before the call. */
  revision(): MaybePromise<Revision>;

  /** Writes a key that must not exist. If it exists, the result is `conflict` with its state. */
  create(key: string, value: Uint8Array, options?: CreateOptions): Promise<WriteResult>;

  /**
   * Writes a key if its revision is still `seen.revision`; with undefined, if the key does not exist. Otherwise the
   * result is `conflict`. Writing equal bytes is a no-op if neither the old nor the new value has a time to live. To
   * detect a no-op, a driver may compare `value` with `seen.value` instead of the stored bytes, unless `seen` is stale;
   * it must still confirm that the key has the revision of `seen`.
   */
  compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    options?: WriteOptions,
  ): Promise<WriteResult>;

  /** Deletes a key. With `expected`, only if the key has this revision; otherwise the result is `conflict`. */
  delete(key: string, options?: { readonly expected?: Revision }): Promise<DeleteResult>;

  /** Begins a watch. The sink is first called in a later microtask or turn. */
  watch(options: WatchOptions, sink: WatchSink): Watch;

  /**
   * Moves the compaction horizon up to `revision`. Does nothing if `revision` is at or below the horizon; throws
   * InvalidArgument if it is above the current revision. Afterwards a read at a revision below the horizon, and a watch
   * `after` such a revision, are `compacted`. Running watches whose position is past the horizon continue. The driver
   * may drop the history later, at the latest when its retention requires it.
   */
  compact(revision: Revision): Promise<void>;

  /**
   * The compaction horizon as far as this store knows: a lower bound of the oldest revision that can be read without
   * `lookBack`. It is at or above every revision that was passed to `compact`, and rises when the store learns that
   * another process has compacted.
   */
  horizon(): Revision;

  /**
   * Starts a compactor that compacts by age until it is stopped. Only drivers whose medium is shared have this method:
   * their compactor agrees with the other processes on the revision. For other stores `compactor.ts` calls `compact`.
   */
  readonly startCompactor?: ((options: CompactorOptions) => Stoppable) | undefined;

  /**
   * Stops the store. Writes in flight are finished and answered, then watches end `closed`. Later calls throw Closed.
   * Idempotent.
   */
  stop(): Promise<void>;
}
