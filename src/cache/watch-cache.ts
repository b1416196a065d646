/**
 * The watch cache. `cache.ts` is its specification. It is fed by one storage watch over all its prefixes.
 * Invariant: the state, the event window and the published changes move together within one synchronous call, so no
 * reader sees one without the others.
 */
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import type { Stoppable } from '../base/lifetime.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { StorageError } from '../storage/errors.ts';
import type { Revision, Storage } from '../storage/storage.ts';
import type {
  CacheList,
  CacheListOptions,
  CacheRange,
  CacheSnapshot,
  CacheStats,
  CacheWatchOptions,
  CacheWatchStart,
  Describe,
  Entry,
  EventSink,
  FormKey,
  FormMaker,
  FreshResult,
  MadeForm,
  QueueBounds,
  Scheduler,
  SnapshotResult,
  WaitOptions,
  WindowBounds,
} from './cache.ts';
import { CacheFeed } from './cache-feed.ts';
import type { CacheState } from './cache-state.ts';
import { DEFAULT_WINDOW } from './event-window.ts';
import { ExpectedEntries } from './expected-entries.ts';
import { FanOut, type WatchOrigin } from './fan-out/fan-out.ts';
import { Forms } from './forms.ts';
import { type OlderChanges, readOlderChanges } from './older-changes.ts';
import { checkRange } from './range.ts';
import { RecentSnapshots } from './recent-snapshots.ts';
import { RepeatedList } from './repeated-list.ts';
import { Settler } from './settler.ts';
import { Snapshot } from './snapshot.ts';
import { Waiters } from './waiters.ts';

export interface WatchCacheOptions {
  readonly storage: Storage;
  /** The prefixes to cache. Each ends with `/`, and no prefix begins with another one. */
  readonly prefixes: readonly string[];
  readonly describe: Describe;
  /** Default: a maker that fails for every form. */
  readonly forms?: FormMaker;
  /** The most bytes of forms to keep. Default 64 MiB. */
  readonly formBytes?: number;
  readonly window?: WindowBounds;
  readonly queue?: QueueBounds;
  /** The approximate interval of bookmarks. Default one minute. */
  readonly bookmarkIntervalMs?: number;
  readonly clock?: Clock;
  readonly scheduler?: Scheduler;
  /**
   * Called for every failure of the storage watch and of a reload. The cache retries by itself. Default: does nothing.
   */
  readonly onTrouble?: (error: Error) => void;
}

const BOOKMARK_INTERVAL_MS = 60_000;

const NO_FORMS: FormMaker = {
  make(form, entries) {
    return entries.map(() => ({ error: new StorageError('InvalidArgument', `this cache has no form ${form}`) }));
  },
};

export class WatchCache implements Stoppable {
  readonly #options: WatchCacheOptions;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #feed: CacheFeed;
  readonly #forms: Forms;
  readonly #fanOut: FanOut;
  readonly #waiters: Waiters;
  readonly #recent = new RecentSnapshots();
  readonly #repeated = new RepeatedList();
  readonly #settler: Settler;
  /** Undefined for an embedded store, which delivers the event of a write before it answers the write. */
  readonly #expected: ExpectedEntries | undefined;
  readonly #window: WindowBounds;
  #olderChanges: OlderChanges | undefined;
  #reachingBack: Promise<void> | undefined;
  /** The state for which `reachBack` has run: its older changes were read, or the store does not have them. */
  #reachedBack: CacheState | undefined;
  #state: CacheState | undefined;
  #ready: Deferred<void> | undefined;
  #stopped = false;
  readonly #stopping = Promise.resolve();
  #restarts = 0;
  #bookmarksDue = false;
  #tickTimer: Timer | undefined;

  /** Starts nothing. Throws InvalidArgument for a prefix that does not end with `/`. */
  constructor(options: WatchCacheOptions) {
    for (const prefix of options.prefixes) checkRange({ prefix });
    this.#options = options;
    this.#storage = options.storage;
    this.#clock = options.clock ?? systemClock;
    const window = options.window ?? DEFAULT_WINDOW;
    this.#window = window;
    this.#expected = options.storage.embedded ? undefined : new ExpectedEntries();
    this.#forms = new Forms({
      maker: options.forms ?? NO_FORMS,
      ...(options.formBytes === undefined ? {} : { bytes: options.formBytes }),
      isCurrent: (entry) => this.#state?.map.get(entry.key) === entry,
    });
    this.#fanOut = new FanOut({
      forms: this.#forms,
      head: () => this.revision,
      backlog: window.events,
      ...(options.queue === undefined ? {} : { queue: options.queue }),
      ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
    });
    this.#waiters = new Waiters(this.#clock, () => this.revision);
    this.#settler = new Settler({
      clock: this.#clock,
      state: () => this.#state,
      // The kept list would keep the old bytes of moved entries alive.
      moved: () => this.#repeated.clear(),
    });
    this.#feed = new CacheFeed(
      {
        storage: options.storage,
        clock: this.#clock,
        prefixes: options.prefixes,
        describe: options.describe,
        window,
        ...(this.#expected !== undefined && { expected: this.#expected }),
        onDrop: (previous) => this.#forms.forget(previous),
        onTrouble: (error) => options.onTrouble?.(error),
      },
      {
        adopted: (state) => this.#adopt(state),
        changed: (change) => {
          this.#repeated.clear();
          this.#fanOut.publish(change);
          this.#settler.changed(change.previous !== undefined);
        },
        reached: (revision) => this.#waiters.reached(revision),
        progressed: () => this.#sendBookmarks(),
        lost: (horizon) => this.#fanOut.endAll({ reason: 'compacted', horizon }),
        closed: () => this.#close(),
      },
    );
  }

  /**
   * Starts the cache. Resolves when the cache can be read and has reached the store's revision at the call. Retries
   * failures; rejects only with Closed.
   */
  start(): Promise<void> {
    if (this.#stopped) return Promise.reject(closed());
    if (this.#ready === undefined) {
      this.#ready = new Deferred<void>();
      this.#ready.promise.catch(() => {}); // the callers of start() handle the rejection
      this.#armTick();
      this.#feed.start();
    }
    return this.#ready.promise;
  }

  /** The revision of the state; 0 until start() has resolved. */
  get revision(): Revision {
    return this.#state?.revision ?? 0;
  }

  /** Returns the current version of a key. Throws Corrupt for a broken entry. */
  get(key: string): Entry | undefined {
    const entry = this.#readable().map.get(key);
    if (entry?.broken !== undefined) throw entry.broken;
    return entry;
  }

  /**
   * Announces the entry of an acknowledged write, which was made from the stored bytes `value`. The cache uses the
   * entry when the event of the write arrives.
   */
  expect(entry: Entry, value: Uint8Array): void {
    if (this.#state !== undefined && entry.revision > this.#state.revision) this.#expected?.add(entry, value);
  }

  /** Returns the entry in another form. Throws, or rejects with, the error of the form maker. */
  form(entry: Entry, form: FormKey): MaybePromise<MadeForm> {
    return andThen(this.#forms.make(form, [entry]), ([result]) => {
      if ('error' in result!) throw result.error;
      return result!;
    });
  }

  /** Returns the current state, in O(1). */
  snapshot(): CacheSnapshot {
    return this.#snapshot();
  }

  /**
   * Returns the state at exactly this revision, from a kept snapshot or by undoing changes of the event window. The
   * result is `compacted` for a revision below the window or below the store's horizon. In the first case the store may
   * still have the state.
   */
  snapshotAt(revision: Revision): SnapshotResult {
    const state = this.#readable();
    if (revision > state.revision) return { outcome: 'future', current: state.revision };
    const horizon = this.#storage.horizon();
    if (revision < horizon) return { outcome: 'compacted', horizon };
    if (revision === state.revision) return { outcome: 'ok', snapshot: this.#snapshot() };
    let snapshot = this.#recent.get(revision);
    if (snapshot === undefined) {
      if (revision < state.window.floor) return { outcome: 'compacted', horizon: state.window.floor };
      snapshot = new Snapshot(revision, state.mapAt(revision), this.#forms);
      this.#recent.put(snapshot);
    }
    return { outcome: 'ok', snapshot };
  }

  /**
   * Lists the current state. If there is a next page, the state is kept for `snapshotAt(list.revision)`. A list that is
   * repeated before the state has changed has the same array of items.
   */
  list(range: CacheRange, options: CacheListOptions = {}): MaybePromise<CacheList> {
    const snapshot = this.#snapshot();
    const repeated = this.#repeated.get(range, options);
    const made = repeated ? { ...repeated, revision: snapshot.revision } : snapshot.list(range, options);
    // An asynchronous list is not kept, because the state may change before the promise resolves.
    if (!isPromise(made)) this.#repeated.put(range, options, made);
    return andThen(made, (list) => {
      if (list.next !== undefined) this.#recent.put(snapshot);
      return list;
    });
  }

  /**
   * Waits until the cache has reached the current revision of the store. Returns a promise only if it has to wait, or
   * if `storage.revision()` does.
   */
  waitFresh(options: WaitOptions = {}): MaybePromise<FreshResult> {
    this.#readable();
    return andThen(this.#storage.revision(), (revision) => this.waitFor(revision, options));
  }

  /** Waits until the cache has reached a revision. Returns a promise only if it has to wait. */
  waitFor(revision: Revision, options: WaitOptions = {}): MaybePromise<FreshResult> {
    const state = this.#readable();
    if (state.revision >= revision) return { outcome: 'ok', revision: state.revision };
    const reached = this.#waiters.wait(revision, options);
    this.#feed.requestProgress();
    return reached;
  }

  /**
   * Called before a watch from an older revision. If the store is not embedded and the window begins after the
   * revision, reads the changes before the loaded state into the window, once for each state. Returns undefined if
   * there is nothing to read, if the store no longer has the changes, or if the window could not hold them. A watch
   * that still needs more changes than the window has is then `compacted`.
   */
  reachBack(after: Revision): Promise<void> | undefined {
    const state = this.#readable();
    const { floor } = state.window;
    if (after >= floor || this.#storage.embedded || this.#reachedBack === state) return undefined;
    const oldest = Math.max(this.#storage.horizon(), floor - this.#window.events);
    if (after < oldest) return undefined;
    this.#reachingBack ??= this.#readBack(state, oldest).finally(() => {
      this.#reachingBack = undefined;
      this.#olderChanges = undefined;
    });
    return this.#reachingBack;
  }

  /** Begins a watch; see `CacheWatchOptions`. The sink is first called in a later turn. */
  watch(options: CacheWatchOptions, sink: EventSink): CacheWatchStart {
    const state = this.#readable();
    checkRange(options.range);
    const { from } = options;
    const { window, revision } = state;
    let origin: WatchOrigin = { window, after: revision };
    if (from === 'state') origin = { window, after: revision, state: state.map.clone() };
    else if (from !== 'now') {
      if (from.after < window.floor) return { outcome: 'compacted', horizon: window.floor };
      origin = { window, after: from.after };
    }
    return { outcome: 'ok', watch: this.#fanOut.watch(options, sink, origin) };
  }

  /** Drops all forms for which `which` returns true, for example those of an outdated schema generation. */
  dropForms(which: (form: FormKey) => boolean): void {
    this.#forms.drop(which);
  }

  /**
   * Ends all watches `closed`, after they have got the changes that are already published. New watches may begin
   * afterwards.
   */
  endWatches(): void {
    this.#fanOut.endAll({ reason: 'closed' });
  }

  stats(): CacheStats {
    const { counters } = this.#fanOut;
    return {
      entriesNow: this.#state?.map.size ?? 0,
      brokenNow: this.#state?.broken ?? 0,
      watchersNow: this.#fanOut.watchers,
      groupsNow: this.#fanOut.groups,
      windowEventsNow: this.#state?.window.size ?? 0,
      windowBytesNow: this.#state?.window.bytes ?? 0,
      formBytesNow: this.#forms.bytes,
      events: counters.events,
      encodes: counters.encodes,
      formsMade: this.#forms.made,
      sinkFailures: counters.sinkFailures,
      restarts: this.#restarts,
      ended: { ...counters.ended },
    };
  }

  /**
   * Ends all watches like `endWatches`, rejects waiting reads with Closed, and stops the timers and the storage watch.
   */
  stop(): Promise<void> {
    this.#close();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #close(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#tickTimer?.cancel();
    this.#settler.stop();
    this.#feed.stop();
    this.#olderChanges?.stop();
    this.#fanOut.endAll({ reason: 'closed' });
    this.#waiters.fail(closed());
    this.#ready?.reject(closed());
    this.#recent.clear();
    this.#repeated.clear();
    this.#forms.drop(() => true);
  }

  #readable(): CacheState {
    if (this.#stopped) throw closed();
    if (this.#state === undefined) throw new StorageError('Unavailable', 'the cache has not started yet');
    return this.#state;
  }

  #snapshot(): Snapshot {
    const state = this.#readable();
    return new Snapshot(state.revision, state.map.clone(), this.#forms);
  }

  async #readBack(state: CacheState, after: Revision): Promise<void> {
    const { prefixes, describe } = this.#options;
    const upTo = state.window.floor;
    this.#olderChanges = readOlderChanges({
      storage: this.#storage,
      clock: this.#clock,
      prefixes,
      describe,
      window: this.#window,
      after,
      upTo,
      current: (key) => state.map.get(key),
    });
    const older = await this.#olderChanges.window;
    this.#reachedBack = state;
    // A full window may have dropped changes meanwhile. Older changes would then leave a gap.
    if (older !== undefined && state.window.floor === upTo) state.window.extend(older);
  }

  /** Takes over a state from the feed: the first one, or another one after history was lost. */
  #adopt(state: CacheState): void {
    if (this.#state !== undefined) {
      this.#restarts++;
      this.#fanOut.endAll({ reason: 'compacted', horizon: state.window.floor });
      this.#recent.clear();
      this.#repeated.clear();
      this.#forms.drop(() => true);
    }
    this.#state = state;
    this.#ready?.resolve();
  }

  #sendBookmarks(): void {
    if (!this.#bookmarksDue) return;
    this.#bookmarksDue = false;
    this.#fanOut.bookmarks();
  }

  /**
   * Arms the timer of bookmarks, which all watchers share. Bookmarks are sent once the store has reported its progress.
   */
  #armTick(): void {
    const every = this.#options.bookmarkIntervalMs ?? BOOKMARK_INTERVAL_MS;
    this.#tickTimer = this.#clock.setTimer(
      every,
      () => {
        this.#armTick();
        this.#recent.tick();
        this.#repeated.tick();
        this.#forms.tick();
        if (!this.#feed.isWatching) return;
        this.#bookmarksDue = true;
        this.#feed.requestProgress();
      },
      { background: true },
    );
  }
}

function closed(): StorageError {
  return new StorageError('Closed', 'the cache is stopped');
}
