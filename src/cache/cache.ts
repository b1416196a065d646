/**
 * The types and the specification of the watch cache, which keeps the state of a few key prefixes of a store in memory,
 * as the bytes that are sent to clients.
 *
 * Guarantees
 * - The cache has the state of its prefixes at one revision of the store, and moves from one whole revision to the
 *   next. Its revision never falls: a caller that saw revision R gets every later result at R or above.
 * - Entries, facts, snapshots and chunks are immutable and shared: readers must not change them. The bytes of an entry
 *   may move to other memory.
 * - The cache knows keys, bytes, labels, selectable fields and opaque form keys. It never knows a kind.
 * - A watch delivers every matching change after its start exactly once and in revision order, or ends with a reason.
 *   It has no gaps.
 * - Every queue is bounded: the event window (`WindowBounds`), the queue of each watcher (`QueueBounds`), the forms (by
 *   bytes), the snapshots for further pages (16), and the changes that wait for forms (as many as the window holds).
 *
 * Compacted and future revisions are results, not errors. Methods throw a StorageError: `Closed` after stop(),
 * `Unavailable` before start() has settled, `InvalidArgument` for an invalid range, `Corrupt` for a read that touches a
 * broken entry. A read in another form throws the error of the form maker.
 */
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { StorageError } from '../storage/errors.ts';
import type { Compacted, Future, Revision } from '../storage/storage.ts';

/**
 * Strings by key. The map inherits no property, so `facts.labels['constructor']` is undefined unless there is such a
 * label.
 */
export type StringMap = Readonly<Record<string, string>>;

/**
 * The labels and fields of an object that selectors match, in one served version. Objects with equal facts may share
 * one `Facts`.
 */
export interface Facts {
  readonly labels: StringMap;
  /**
   * Selectable fields by path. Fields that are part of the key (name, namespace) may be absent, because filters also
   * get the key.
   */
  readonly fields: StringMap;
  /**
   * An integer that is equal for equal facts. Filters use it to look up the result of an earlier match. 0 is a valid
   * hash.
   */
  readonly hash: number;
}

/** Everything that the cache needs to know about a stored value. */
export interface Description {
  readonly facts: Facts;
  /**
   * The offset in the stored bytes where the cache inserts `"resourceVersion":"N"`: inside the metadata object, before
   * its first member (the cache adds a comma) or before its closing brace if it has none.
   */
  readonly splice: number;
}

/** The value cannot be described. The reason becomes part of the message of the Corrupt error. */
export interface Undescribable {
  readonly reason: string;
}

/**
 * Describes a stored value. Called once per write, before any watcher gets the event. Must be pure and cheap, and must
 * not keep a reference to `value`. A throw counts as undescribable. `isOwn`: this process has encoded the value, so
 * checks of its syntax may be left out. Default false.
 */
export type Describe = (value: Uint8Array, key: string, isOwn?: boolean) => Description | Undescribable;

/** One version of one object. */
export interface Entry {
  readonly key: string;
  readonly revision: Revision;
  /**
   * The stored bytes with the resourceVersion inserted; for a broken entry, the stored bytes. The array keeps no other
   * memory alive, except for other entries of the same slab (`entry-slab.ts`). The cache may move the bytes: later
   * reads of this property then return another array with the same content.
   */
  readonly bytes: Uint8Array;
  /** The offset of the inserted resourceVersion; see `storedBytes`. */
  readonly splice: number;
  /** The facts of the stored version. */
  readonly facts: Facts;
  /**
   * A Corrupt error with the key, if the value cannot be served. Reads of the entry throw this error, and watches that
   * would deliver the entry end with it.
   */
  readonly broken: StorageError | undefined;
}

// ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The name of a form, which is an encoding of an object that differs from the stored one. The owner of the cache builds
 * it from apiVersion, media type and schema generation. Where a form is optional, undefined means the stored form,
 * which costs nothing.
 */
export type FormKey = string;

/** An object in another form. Selectors match `facts`, which are those of the form's apiVersion. */
export interface MadeForm {
  readonly bytes: Uint8Array;
  readonly facts: Facts;
}

export type FormResult = MadeForm | FailedForm;

export interface FailedForm {
  readonly error: Error;
  /** True if the form can never be made of this version of the object. Default false: it may succeed later. */
  readonly lasting?: boolean;
  /**
   * The facts that the form would have, if they are known. A request whose filter excludes these facts does not fail.
   */
  readonly facts?: Facts;
}

export interface FormMaker {
  /**
   * Makes a form of each entry and returns one result per entry, in the same order. If a form equals the stored form,
   * the result is the entry itself. A batch has at most 500 entries of one cache, none of them broken. An entry may be
   * an old version, or a deleted object with the revision of its deletion. A throw, a rejection or a result of another
   * length fails the whole batch.
   */
  make(form: FormKey, entries: readonly Entry[]): MaybePromise<readonly FormResult[]>;
}

// ── Ranges and filters ───────────────────────────────────────────────────────────────────────────────────────────────

/** All keys below a prefix, which must be empty (the whole cache) or end with `/`, or exactly one key. */
export type CacheRange = { readonly prefix: string } | { readonly key: string };

/**
 * Selects objects. Filters with equal texts must select the same objects: watchers with equal texts share one
 * evaluation.
 */
export interface Filter {
  readonly text: string;
  /** Must be pure and must not throw. */
  matches(facts: Facts, key: string): boolean;
}

// ── Reads ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface CacheListOptions {
  /** The first key to consider, inclusive: `next` of the previous page. */
  readonly start?: string;
  /** The most items to return. 0 or absent: all. */
  readonly limit?: number;
  readonly filter?: Filter;
  readonly form?: FormKey;
}

export interface CacheList {
  /** The revision of the listed state. */
  readonly revision: Revision;
  /** In key order, in the requested form. */
  readonly items: readonly Uint8Array[];
  /** The key where the next page starts; undefined on the last page. With a filter it is the key of a match. */
  readonly next: string | undefined;
  /**
   * The exact number of items that follow. Undefined if there is a filter and a next page, because the remaining
   * matches are not counted.
   */
  readonly remaining: number | undefined;
}

/** An immutable state of the cache, taken in O(1). It keeps its entries alive while it is referenced. */
export interface CacheSnapshot {
  readonly revision: Revision;
  /** Throws Corrupt for a broken entry. */
  get(key: string): Entry | undefined;
  /** Returns a promise only if an asynchronous form maker has to make forms. */
  list(range: CacheRange, options?: CacheListOptions): MaybePromise<CacheList>;
  /** The number of keys in the range. */
  count(range: CacheRange): number;
}

export type SnapshotResult = { readonly outcome: 'ok'; readonly snapshot: CacheSnapshot } | Compacted | Future;

/** `ok` with the cache's revision, which is at or above the requested one; `future` after the timeout. */
export type FreshResult = { readonly outcome: 'ok'; readonly revision: Revision } | Future;

export interface WaitOptions {
  /** Default 3,000, as in kube-apiserver. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignalLike;
}

// ── Watches ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Encodes events. Called once per event for all watchers that share the encoding. Must be pure and keep no reference.
 */
export interface EventEncoding {
  /** Encodings with equal keys must produce equal bytes. */
  readonly key: string;
  /**
   * Encodes one event. `bytes` is the object in the form of the watch: its new version, or for DELETED its last version
   * with the revision of the deletion.
   */
  event(type: ChangeType, bytes: Uint8Array): Uint8Array;
  /** Encodes a bookmark. `initialEventsEnd`: the bookmark ends the initial state. */
  bookmark(revision: Revision, initialEventsEnd: boolean): Uint8Array;
}

/** The reason for the end of a watch. */
export type CacheWatchEnd =
  /** The owner of the watch called `stop()`. */
  | { readonly reason: 'stopped' }
  /** The cache or its store was stopped. */
  | { readonly reason: 'closed' }
  /**
   * The cache no longer has the changes that this watch needs, or has reloaded its state: the client must list again.
   */
  | { readonly reason: 'compacted'; readonly horizon: Revision }
  /**
   * The queue of the watch was full, the event window moved past the watch while it was catching up, or too many
   * changes waited for its forms.
   */
  | { readonly reason: 'too-slow' }
  /** The watch reached a broken entry or a form that could not be made, or its encoding or its sink threw. */
  | { readonly reason: 'failed'; readonly error: Error };

/** The receiver of a watch. Calls never overlap, and the first one comes after `watch()` has returned. */
export interface EventSink {
  /**
   * Takes one or more whole chunks, in order. The array is shared and never changes. Returns false to ask for a pause:
   * these chunks are taken, and the next call comes only after `drained()`. A throw ends this watch `failed`, and no
   * other watch.
   */
  write(chunks: readonly Uint8Array[]): boolean;
  /**
   * Called once, as the last call; for `stopped` before `stop()` returns. A throw is counted (`sinkFailures`) and
   * otherwise ignored.
   */
  end(reason: CacheWatchEnd): void;
}

export interface CacheWatchOptions {
  readonly range: CacheRange;
  readonly filter?: Filter;
  readonly form?: FormKey;
  readonly encoding: EventEncoding;
  /**
   * - `{ after: R }`: every change above R. R may be above the cache's revision.
   * - `'now'`: every change above the cache's revision.
   * - `'state'`: the current state as ADDED in key order, then, if `initialEventsEnd`, the bookmark that ends it, then
   *   every change.
   */
  readonly from: { readonly after: Revision } | 'now' | 'state';
  readonly initialEventsEnd?: boolean;
  /** Whether to send a bookmark about once a minute (`bookmarkIntervalMs`). Default false. */
  readonly bookmarks?: boolean;
}

export interface CacheWatch {
  /** Called by the owner of the sink after `write` has returned false: the sink takes chunks again. */
  drained(): void;
  /**
   * Sends a bookmark now, after all events delivered so far. Called when the timeout of a watch request has come.
   * Returns false and does nothing while the watch is catching up, while chunks wait for the sink or for a form, or
   * while the cache is behind the start of the watch.
   */
  bookmark(): boolean;
  /**
   * Ends the watch. The sink's `end` is called before `stop` returns, unless it was called earlier; no call follows.
   * Idempotent.
   */
  stop(): void;
}

export type CacheWatchStart = { readonly outcome: 'ok'; readonly watch: CacheWatch } | Compacted;

// ── Bounds and figures ───────────────────────────────────────────────────────────────────────────────────────────────

/** The bounds of the event window, which keeps the newest events. A watch that needs older events is `compacted`. */
export interface WindowBounds {
  /** Default 16,384. */
  readonly events: number;
  /** The most bytes that only the window keeps alive. Default 16 MiB. */
  readonly bytes: number;
}

/**
 * The bounds of a watcher's queue, which holds chunks while its sink is paused. They are checked once per turn, before
 * chunks are added: a queue that is already full ends the watch `too-slow`. A single burst, however large, therefore
 * ends no watch whose queue had room before the burst. Chunks are shared, not copied.
 */
export interface QueueBounds {
  /** Default 1,024. */
  readonly events: number;
  /** Default 8 MiB. */
  readonly bytes: number;
}

/** Runs the callback once, in a later turn. Default: `nextTurn`, so that all events of one turn are written together. */
export type Scheduler = (callback: () => void) => void;

/** Counters that only grow, and gauges, whose names end with `Now`. */
export interface CacheStats {
  readonly entriesNow: number;
  readonly brokenNow: number;
  readonly watchersNow: number;
  readonly groupsNow: number;
  readonly windowEventsNow: number;
  readonly windowBytesNow: number;
  readonly formBytesNow: number;
  readonly events: number;
  readonly encodes: number;
  readonly formsMade: number;
  readonly sinkFailures: number;
  readonly restarts: number;
  readonly ended: Readonly<Record<CacheWatchEnd['reason'], number>>;
}
