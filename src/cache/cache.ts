/**
 * The watch cache, as a specification: the state of a few key prefixes of a store, kept in memory as the bytes that will be sent.
 *
 * What it promises
 * - One state: the cache holds the store's state of its prefixes at `revision`, and moves from one whole revision to the next. Whoever saw
 *   revision R here finds every later answer at R or above.
 * - Nothing reachable from it is ever changed by a reader; entries, facts, snapshots and chunks are immutable and shared.
 * - It knows keys, bytes, labels, selectable fields and opaque form keys; it never knows a kind.
 * - A watch delivers every matching change after its start exactly once and in revision order, or ends with a reason. There is no gap.
 * - Every queue is bounded: the event window (`WindowBounds`), each watcher's queue (`QueueBounds`), the forms kept (by bytes), the
 *   snapshots kept for further pages (sixteen), the changes that wait for forms (as many as the window holds).
 *
 * Compacted and future revisions are values. What is thrown is a StorageError: `Closed` after stop(), `Unavailable` before start() has
 * settled, `InvalidArgument` for an unfit range, `Corrupt` for a read that touches a broken entry; a read in a form throws the error
 * of its making.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { StorageError } from '../storage/errors.ts';
import type { Compacted, Future, Revision } from '../storage/storage.ts';

/** Own string properties only: the prototype holds nothing, so `facts.labels['constructor']` is undefined unless it is a label. */
export type StringMap = Readonly<Record<string, string>>;

/** What selectors ask about an object, in one served version. Equal facts may be one shared value. */
export interface Facts {
  readonly labels: StringMap;
  /** Selectable fields by path. What the key tells already (name, namespace) need not be here: a filter gets the key too. */
  readonly fields: StringMap;
  /** Any integer, the same for the same value: filters that remember their answers spread facts by it. 0 will do. */
  readonly hash: number;
}

/** What the cache must know about a stored value. */
export interface Description {
  readonly facts: Facts;
  /**
   * The offset in the stored bytes where `"resourceVersion":"N"` goes: inside the metadata object, before its first member (a comma is
   * put behind it) or before its closing brace if it has none.
   */
  readonly splice: number;
}

/** A value that cannot be described; the reason becomes part of the message of the Corrupt error. */
export interface Undescribable {
  readonly reason: string;
}

/** Pure and cheap: it runs once per write, on the path of every event. A throw counts as undescribable. It keeps no reference to `value`. */
export type Describe = (value: Uint8Array, key: string) => Description | Undescribable;

/** One version of one object. */
export interface Entry {
  readonly key: string;
  readonly revision: Revision;
  /** The stored bytes with the resourceVersion spliced in, in memory of their own. Of a broken entry: the stored bytes as they are. */
  readonly bytes: Uint8Array;
  /** Where the splice begins; see `storedBytes`. */
  readonly splice: number;
  /** Of the stored version. */
  readonly facts: Facts;
  /** Why the value cannot be served: Corrupt, with the key. Reads that touch it throw it, watchers in whose range it appears end with it. */
  readonly broken: StorageError | undefined;
}

// ── Forms ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Built by the owner from apiVersion, media type and schema generation. Undefined everywhere means the stored form, which is free. */
export type FormKey = string;

/** An object in another form; the facts are those of the form's version, and selectors run on them. */
export interface MadeForm {
  readonly bytes: Uint8Array;
  readonly facts: Facts;
}

export type FormResult = MadeForm | { readonly error: Error };

export interface FormMaker {
  /**
   * One result per entry, in their order. Batches hold at most 500 entries of one cache, none broken. A throw, a rejection
   * or an answer of another length fails the whole batch. An entry may be an old version, or a deleted object with its final revision.
   */
  make(form: FormKey, entries: readonly Entry[]): MaybePromise<readonly FormResult[]>;
}

// ── Ranges and filters ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Everything below a prefix that ends at a segment boundary (`/`; the empty prefix is the whole cache), or one key. */
export type CacheRange = { readonly prefix: string } | { readonly key: string };

/** Selects objects. Filters of one text are interchangeable: watchers that share it share the evaluation. Absent: every object. */
export interface Filter {
  readonly text: string;
  /** Pure; must not throw. */
  matches(facts: Facts, key: string): boolean;
}

// ── Reads ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface CacheListOptions {
  /** The first key to consider, inclusive: the `next` of the page before. */
  readonly start?: string;
  /** At most this many items; 0 or absent means all. */
  readonly limit?: number;
  readonly filter?: Filter;
  readonly form?: FormKey;
}

export interface CacheList {
  /** The revision of the state that the list shows. */
  readonly revision: Revision;
  /** In key order, in the form asked for. */
  readonly items: readonly Uint8Array[];
  /** The key to continue at; undefined on the last page. With a filter it is a key that matches. */
  readonly next: string | undefined;
  /** Exactly how many follow; undefined with a filter and more to come, because nobody counted them. */
  readonly remaining: number | undefined;
}

/** An immutable state. It costs nothing to take and keeps its entries alive while it is held. */
export interface CacheSnapshot {
  readonly revision: Revision;
  /** Throws Corrupt for a broken entry. */
  get(key: string): Entry | undefined;
  /** A promise only if forms have to be made by an asynchronous maker. */
  list(range: CacheRange, options?: CacheListOptions): MaybePromise<CacheList>;
  /** How many keys the range holds. */
  count(range: CacheRange): number;
}

export type SnapshotResult = { readonly outcome: 'ok'; readonly snapshot: CacheSnapshot } | Compacted | Future;

/** `ok` with the cache's revision, which is at or above the one asked for; `future` when the time was up. */
export type FreshResult = { readonly outcome: 'ok'; readonly revision: Revision } | Future;

export interface WaitOptions {
  /** Default 3,000, the reference's. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

// ── Watches ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How events become bytes. Called once per event for all watchers that share it; pure, keeps nothing. */
export interface EventEncoding {
  /** Encodings of one key produce the same bytes. */
  readonly key: string;
  /** `bytes` is the object in the watch's form: the new one, or for DELETED the last one with the revision of the change. */
  event(type: ChangeType, bytes: Uint8Array): Uint8Array;
  /** `initialEventsEnd` marks the one that ends the initial state. */
  bookmark(revision: Revision, initialEventsEnd: boolean): Uint8Array;
}

/** Why a watch ended. */
export type CacheWatchEnd =
  /** By the watcher itself. */
  | { readonly reason: 'stopped' }
  /** The cache or its store was stopped. */
  | { readonly reason: 'closed' }
  /** Changes that this watch needs are gone: list anew. Also when the cache had to begin anew. */
  | { readonly reason: 'compacted'; readonly horizon: Revision }
  /** Its queue was full, or it was still catching up, or its forms were still being made, when the window moved past it. */
  | { readonly reason: 'too-slow' }
  /** A broken entry, a form that could not be made, an encoding or a sink that threw. */
  | { readonly reason: 'failed'; readonly error: Error };

/** Where a watch delivers. Calls never overlap and never come before `watch()` has returned. */
export interface EventSink {
  /**
   * One or more whole chunks in order; the array is shared and not changed later. False: no further call until `drained()`
   * (these chunks were taken all the same). A throw ends this watch, as `failed`, and no other.
   */
  write(chunks: readonly Uint8Array[]): boolean;
  /** The last call, once; for `stopped` it comes within `stop()`. What throws here is counted (`sinkFailures`) and goes no further. */
  end(reason: CacheWatchEnd): void;
}

export interface CacheWatchOptions {
  readonly range: CacheRange;
  readonly filter?: Filter;
  readonly form?: FormKey;
  readonly encoding: EventEncoding;
  /**
   * - `{ after: R }`: every change above R. An R of the future is allowed.
   * - `'now'`: every change above the cache's present revision.
   * - `'state'`: the present state as ADDED in key order, then, if `initialEventsEnd`, the bookmark that ends it, then every change.
   */
  readonly from: { readonly after: Revision } | 'now' | 'state';
  readonly initialEventsEnd?: boolean;
  /** Send a bookmark about once a minute (`bookmarkIntervalMs`). Default false. */
  readonly bookmarks?: boolean;
}

export interface CacheWatch {
  /** The sink takes chunks again. */
  drained(): void;
  /**
   * Sends a bookmark now, behind everything delivered so far: for the end of a watch's time. Does nothing (false) while the watch is
   * still catching up, while chunks wait for the sink or for a form, or if the cache is still behind the watch's start.
   */
  bookmark(): boolean;
  /** No call reaches the sink after this returns; `end` comes within it unless it came before. Idempotent. */
  stop(): void;
}

export type CacheWatchStart = { readonly outcome: 'ok'; readonly watch: CacheWatch } | Compacted;

// ── Bounds and figures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The window keeps the newest events; what is older answers `compacted`. Bytes are those that only the window keeps alive. */
export interface WindowBounds {
  /** Default 16,384. */
  readonly events: number;
  /** Default 16 MiB. */
  readonly bytes: number;
}

/**
 * What may wait for a sink that is not drained. Judged once per turn: a queue that already holds this much when more comes ends the
 * watch `too-slow`, so that one burst, however large, ends nobody who had no time to drain. Chunks are shared, not copied.
 */
export interface QueueBounds {
  /** Default 1,024. */
  readonly events: number;
  /** Default 8 MiB. */
  readonly bytes: number;
}

/** Runs the callback once, soon: by default `setImmediate`, so that all events of one event-loop turn leave together. */
export type Scheduler = (callback: () => void) => void;

/** Counters that only grow, except where the name says otherwise. */
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
