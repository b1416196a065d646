/**
 * The types and the specification of the watch cache: the state of a few key prefixes of a store, kept in memory as the
 * bytes that will be sent.
 *
 * Promises
 * - The cache holds the state of its prefixes at one revision of the store, and moves from one whole revision to the
 *   next. Its revision never falls: a caller that saw revision R gets every later answer at R or above.
 * - Entries, facts, snapshots and chunks are immutable and shared, except that the bytes of an entry may move. Readers
 *   must not change anything that the cache returns.
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

/** The labels and fields of an object that selectors match, in one served version. Objects may share one value. */
export interface Facts {
  readonly labels: StringMap;
  /**
   * Selectable fields by path. Fields that follow from the key (name, namespace) may be absent: filters get the key,
   * too.
   */
  readonly fields: StringMap;
  /** An integer that is equal for equal facts. Filters use it to find the result of an earlier match; 0 is valid. */
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
 * Describes a stored value. Called once per write, before any watcher is told, so it must be pure and cheap. A throw
 * counts as undescribable. It must not keep a reference to `value`. `isOwn`: this process has encoded the value, so
 * nothing is checked that encoders guarantee. Default false.
 */
export type Describe = (value: Uint8Array, key: string, isOwn?: boolean) => Description | Undescribable;

/** One version of one object. */
export interface Entry {
  readonly key: string;
  readonly revision: Revision;
  /**
   * The stored bytes with the resourceVersion inserted. They keep nothing else alive, except other entries of the same
   * slab (`entry-slab.ts`). A broken entry has the stored bytes. The cache may move them: later reads of this property
   * then give other bytes with the same content.
   */
  readonly bytes: Uint8Array;
  /** The offset of the inserted resourceVersion; see `storedBytes`. */
  readonly splice: number;
  /** The facts of the stored version. */
  readonly facts: Facts;
  /**
   * Set if the value cannot be served: Corrupt, with the key. Reads of the entry throw it, and watches that meet it end
   * with it.
   */
  readonly broken: StorageError | undefined;
}

// ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Names a form. The owner of the cache builds it from apiVersion, media type and schema generation. Where a form is
 * optional, undefined means the stored form, which costs nothing.
 */
export type FormKey = string;

/** An object in another form. Selectors match these facts, which are those of the form's version. */
export interface MadeForm {
  readonly bytes: Uint8Array;
  readonly facts: Facts;
}

export type FormResult = MadeForm | FailedForm;

export interface FailedForm {
  readonly error: Error;
  /** True if the form can never be made of this version of the object. Default false: it may succeed later. */
  readonly lasting?: boolean;
  /** The facts that the form would have, if they are known. Requests whose filter excludes the object do not fail. */
  readonly facts?: Facts;
}

export interface FormMaker {
  /**
   * Returns one result per entry, in their order. A form that is equal to its entry is the entry itself. A batch has at
   * most 500 entries of one cache, none of them broken. An entry may be an old version, or a deleted object with the
   * revision of its deletion. A throw, a rejection or a result of another length fails the whole batch.
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
  /** Pure; must not throw. */
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
  /** The exact number of items that follow; undefined if there is a filter and a next page: those are not counted. */
  readonly remaining: number | undefined;
}

/** An immutable state. Taking one costs O(1). It keeps its entries alive while it is referenced. */
export interface CacheSnapshot {
  readonly revision: Revision;
  /** Throws Corrupt for a broken entry. */
  get(key: string): Entry | undefined;
  /** Returns a promise only if an asynchronous maker has to make forms. */
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
   * `bytes` is the object in the form of the watch: the new one, or for DELETED the last one with the revision of the
   * change.
   */
  event(type: ChangeType, bytes: Uint8Array): Uint8Array;
  /** `initialEventsEnd`: this bookmark ends the initial state. */
  bookmark(revision: Revision, initialEventsEnd: boolean): Uint8Array;
}

/** The reason for the end of a watch. */
export type CacheWatchEnd =
  /** Its owner stopped it. */
  | { readonly reason: 'stopped' }
  /** The cache or its store was stopped. */
  | { readonly reason: 'closed' }
  /** Changes that this watch needs are gone, or the cache has reloaded its state: the client must list again. */
  | { readonly reason: 'compacted'; readonly horizon: Revision }
  /**
   * Its queue was full, or the window moved past it while it was catching up, or too many changes waited for its forms.
   */
  | { readonly reason: 'too-slow' }
  /** It met a broken entry or a form that could not be made, or its encoding or its sink threw. */
  | { readonly reason: 'failed'; readonly error: Error };

/** The receiver of a watch. Calls never overlap, and the first one comes after `watch()` has returned. */
export interface EventSink {
  /**
   * Takes one or more whole chunks, in order. The array is shared and never changes. Returns false to ask for a pause:
   * the chunks are taken, and the next call comes after `drained()`. A throw ends this watch `failed` and no other.
   */
  write(chunks: readonly Uint8Array[]): boolean;
  /**
   * The last call, made once; for `stopped` within `stop()`. A throw is counted (`sinkFailures`) and otherwise ignored.
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
  /** The sink takes chunks again. */
  drained(): void;
  /**
   * Sends a bookmark now, behind everything delivered so far. Called when the timeout of a watch request has come.
   * Returns false and does nothing while the watch is catching up, while chunks wait for the sink or for a form, or
   * while the cache is behind the watch's start.
   */
  bookmark(): boolean;
  /**
   * Ends the watch. The sink's `end` is called within, unless it was called before, and nothing afterwards. Idempotent.
   */
  stop(): void;
}

export type CacheWatchStart = { readonly outcome: 'ok'; readonly watch: CacheWatch } | Compacted;

// ── Bounds and figures ───────────────────────────────────────────────────────────────────────────────────────────────

/** The event window keeps the newest events. A watch that needs older ones is `compacted`. */
export interface WindowBounds {
  /** Default 16,384. */
  readonly events: number;
  /** Bytes that only the window keeps alive. Default 16 MiB. */
  readonly bytes: number;
}

/**
 * The bounds of a watcher's queue, which holds chunks while its sink is paused. They are checked once per turn, before
 * chunks are added: a queue that is already full ends the watch `too-slow`. So a single burst, however large, ends no
 * watch whose queue had room before it. Chunks are shared, not copied.
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
