/**
 * The watch cache; `cache.ts` is its specification. One storage watch over all its prefixes feeds it. Invariant: the
 * state, the event window and the published changes move together within one synchronous call, so no reader sees one
 * without the others.
 */
import { type BackoffPolicy, backoffDelay } from '../base/backoff.ts';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { isStorageError, StorageError } from '../storage/errors.ts';
import type { Revision, Storage, StorageEvent, Watch, WatchEnd } from '../storage/storage.ts';
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
import { CacheState } from './cache-state.ts';
import { DEFAULT_WINDOW } from './event-window.ts';
import { FanOut, type WatchOrigin } from './fan-out/fan-out.ts';
import { Forms } from './forms.ts';
import { loadState } from './load-state.ts';
import { checkRange } from './range.ts';
import { RecentSnapshots } from './recent-snapshots.ts';
import { Snapshot } from './snapshot.ts';
import { Waiters } from './waiters.ts';

export interface WatchCacheOptions {
  readonly storage: Storage;
  /** The prefixes to cache. Each ends with `/`, and none begins with another. */
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
const RETRY: BackoffPolicy = { initialMs: 100, capMs: 5000 };

const NO_FORMS: FormMaker = {
  make(form, entries) {
    return entries.map(() => ({ error: new StorageError('InvalidArgument', `this cache has no form ${form}`) }));
  },
};

export class WatchCache implements Stoppable {
  readonly #options: WatchCacheOptions;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #windowBounds: WindowBounds;
  readonly #forms: Forms;
  readonly #fanOut: FanOut;
  readonly #waiters: Waiters;
  readonly #recent = new RecentSnapshots();
  #state: CacheState | undefined;
  #storageWatch: Watch | undefined;
  #ready: Deferred<void> | undefined;
  #stopped = false;
  readonly #stopping = Promise.resolve();
  #failures = 0;
  #restarts = 0;
  #bookmarksDue = false;
  #retryTimer: Timer | undefined;
  #tickTimer: Timer | undefined;

  /** Starts nothing. Throws InvalidArgument for a prefix that does not end with `/`. */
  constructor(options: WatchCacheOptions) {
    for (const prefix of options.prefixes) checkRange({ prefix });
    this.#options = options;
    this.#storage = options.storage;
    this.#clock = options.clock ?? systemClock;
    this.#windowBounds = options.window ?? DEFAULT_WINDOW;
    this.#forms = new Forms({
      maker: options.forms ?? NO_FORMS,
      ...(options.formBytes === undefined ? {} : { bytes: options.formBytes }),
      isCurrent: (entry) => this.#state?.map.get(entry.key) === entry,
    });
    this.#fanOut = new FanOut({
      forms: this.#forms,
      head: () => this.revision,
      backlog: this.#windowBounds.events,
      ...(options.queue === undefined ? {} : { queue: options.queue }),
      ...(options.scheduler === undefined ? {} : { scheduler: options.scheduler }),
    });
    this.#waiters = new Waiters(this.#clock, () => this.revision);
  }

  /**
   * Resolves when the cache can be read and is as fresh as the store was at the call. Retries failures; rejects only
   * with Closed.
   */
  start(): Promise<void> {
    if (this.#stopped) return Promise.reject(closed());
    if (this.#ready === undefined) {
      this.#ready = new Deferred<void>();
      this.#ready.promise.catch(() => {}); // the callers of start() handle the rejection
      this.#armTick();
      void this.#load();
    }
    return this.#ready.promise;
  }

  /** The revision of the state; 0 until start() has resolved. */
  get revision(): Revision {
    return this.#state?.revision ?? 0;
  }

  /** The current version of a key. Throws Corrupt if it is broken. */
  get(key: string): Entry | undefined {
    const entry = this.#readable().map.get(key);
    if (entry?.broken !== undefined) throw entry.broken;
    return entry;
  }

  /** The entry in another form. Throws, or rejects with, the error of the form maker. */
  form(entry: Entry, form: FormKey): MaybePromise<MadeForm> {
    return andThen(this.#forms.make(form, [entry]), ([result]) => {
      if ('error' in result!) throw result.error;
      return result!;
    });
  }

  /** The current state. O(1). */
  snapshot(): CacheSnapshot {
    return this.#snapshot();
  }

  /**
   * The state at exactly this revision, from a kept snapshot or by undoing changes of the event window. `compacted` for
   * a revision below the window or below the store's horizon. In the first case the store may still have the state.
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

  /** Lists the current state. If there is a next page, the state is kept for `snapshotAt(list.revision)`. */
  list(range: CacheRange, options: CacheListOptions = {}): MaybePromise<CacheList> {
    const snapshot = this.#snapshot();
    return andThen(snapshot.list(range, options), (list) => {
      if (list.next !== undefined) this.#recent.put(snapshot);
      return list;
    });
  }

  /**
   * Waits until the cache is as fresh as the store is now. Synchronous if it already is and `storage.revision()` is
   * synchronous.
   */
  waitFresh(options: WaitOptions = {}): MaybePromise<FreshResult> {
    this.#readable();
    return andThen(this.#storage.revision(), (revision) => this.waitFor(revision, options));
  }

  /** Waits until the cache has reached a revision. Synchronous if it already has. */
  waitFor(revision: Revision, options: WaitOptions = {}): MaybePromise<FreshResult> {
    const state = this.#readable();
    if (state.revision >= revision) return { outcome: 'ok', revision: state.revision };
    const reached = this.#waiters.wait(revision, options);
    this.#storageWatch?.requestProgress();
    return reached;
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

  /** Drops whole forms, for example of an outdated schema generation. */
  dropForms(which: (form: FormKey) => boolean): void {
    this.#forms.drop(which);
  }

  /** Ends all watches `closed`, after sending what was due in this turn. New watches may begin afterwards. */
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
   * Ends all watches as `endWatches` does, rejects waiting reads with Closed, and ends the timers and the storage
   * watch.
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
    this.#retryTimer?.cancel();
    this.#tickTimer?.cancel();
    this.#storageWatch?.stop();
    this.#storageWatch = undefined;
    this.#fanOut.endAll({ reason: 'closed' });
    this.#waiters.fail(closed());
    this.#ready?.reject(closed());
    this.#recent.clear();
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

  async #load(): Promise<void> {
    try {
      const { prefixes, describe } = this.#options;
      const loaded = await loadState({
        storage: this.#storage,
        prefixes,
        describe,
        backfill: this.#windowBounds.events,
      });
      if (this.#stopped) return;
      const state = new CacheState(loaded.map, loaded.revision, {
        describe,
        window: this.#windowBounds,
        onDrop: (previous) => this.#forms.forget(previous),
      });
      this.#follow(state, loaded.target);
    } catch (caught) {
      this.#retry(toError(caught), () => this.#load());
    }
  }

  /** Watches the store from the revision of the state. The cache adopts the state once it has reached `target`. */
  #follow(state: CacheState, target: Revision): void {
    const advance = (): void => {
      if (this.#state === state) this.#waiters.reached(state.revision);
      else if (state.revision >= target) this.#adopt(state);
    };
    const ranges = this.#options.prefixes.map((prefix) => ({ prefix }));
    const sink = {
      events: (events: readonly StorageEvent[]): void => {
        this.#failures = 0;
        const current = this.#state === state;
        for (const event of events) {
          const change = state.apply(event);
          if (current && change !== undefined) this.#fanOut.publish(change);
        }
        advance();
      },
      progress: (revision: Revision): void => {
        this.#failures = 0;
        state.revision = Math.max(state.revision, revision);
        advance();
        if (this.#bookmarksDue && this.#state === state) {
          this.#bookmarksDue = false;
          this.#fanOut.bookmarks();
        }
      },
      end: (reason: WatchEnd): void => this.#watchEnded(state, target, reason),
    };
    advance();
    this.#storageWatch = this.#storage.watch({ ranges, from: { after: state.revision } }, sink);
    this.#storageWatch.requestProgress();
  }

  #adopt(state: CacheState): void {
    if (this.#state !== undefined) {
      this.#restarts++;
      this.#fanOut.endAll({ reason: 'compacted', horizon: state.window.floor });
      this.#recent.clear();
      this.#forms.drop(() => true);
    }
    this.#state = state;
    this.#ready?.resolve();
    this.#waiters.reached(state.revision);
  }

  #watchEnded(state: CacheState, target: Revision, reason: WatchEnd): void {
    this.#storageWatch = undefined;
    if (this.#stopped || reason.reason === 'stopped') return;
    if (reason.reason === 'closed') this.#close();
    else if (reason.reason === 'failed') {
      // Nothing is lost: a new storage watch continues at the revision of the state, and the watchers need not know.
      this.#retry(reason.error, () => this.#follow(state, target));
    } else {
      this.#fanOut.endAll({ reason: 'compacted', horizon: reason.horizon });
      const error = new StorageError('Unavailable', `history was compacted up to ${reason.horizon} before it was read`);
      this.#retry(error, () => this.#load());
    }
  }

  #retry(error: Error, task: () => void | Promise<void>): void {
    if (this.#stopped) return;
    if (isStorageError(error, 'Closed')) {
      this.#close();
      return;
    }
    this.#options.onTrouble?.(error);
    const delay = backoffDelay(RETRY, this.#failures++);
    this.#retryTimer = this.#clock.setTimer(delay, () => {
      try {
        void task();
      } catch (caught) {
        this.#retry(toError(caught), task);
      }
    });
  }

  /** One timer for all watchers. Bookmarks are sent once the store has reported its progress. */
  #armTick(): void {
    const every = this.#options.bookmarkIntervalMs ?? BOOKMARK_INTERVAL_MS;
    this.#tickTimer = this.#clock.setTimer(
      every,
      () => {
        this.#armTick();
        this.#recent.tick();
        this.#forms.tick();
        if (this.#storageWatch === undefined) return;
        this.#bookmarksDue = true;
        this.#storageWatch.requestProgress();
      },
      { background: true },
    );
  }
}

function closed(): StorageError {
  return new StorageError('Closed', 'the cache is stopped');
}
