/**
 * The feed of a cache. It loads the state from the store and follows the store with one watch. Failures are retried
 * with growing delays.
 * Invariant: the cache gets a state and the changes after it without a gap between revisions. When history is lost, the
 * feed loads a new state, and calls `adopted` only once the new state has reached the store's revision at the load.
 */
import { type BackoffPolicy, backoffDelay } from '../base/backoff.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { isStorageError, StorageError } from '../storage/errors.ts';
import type { Revision, Storage, StorageEvent, Watch, WatchEnd } from '../storage/storage.ts';
import type { Describe, Entry, WindowBounds } from './cache.ts';
import { CacheState } from './cache-state.ts';
import type { Change } from './change.ts';
import type { ExpectedEntries } from './expected-entries.ts';
import { loadState } from './load-state.ts';

const RETRY: BackoffPolicy = { initialMs: 100, capMs: 5000 };

export interface CacheFeedOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly prefixes: readonly string[];
  readonly describe: Describe;
  readonly window: WindowBounds;
  readonly expected?: ExpectedEntries;
  /** Called for each previous version that leaves the event window. */
  onDrop(previous: Entry): void;
  /** Called for every failure, before the retry is scheduled. */
  onTrouble(error: Error): void;
}

/** The receiver of a feed: the cache. No method is called after `stop()` of the feed or after `closed`. */
export interface FeedListener {
  /** Called with the first state, and with each state that replaces one whose history was lost. */
  adopted(state: CacheState): void;
  /** Called after each change of the current state. */
  changed(change: Change): void;
  /** Called when the current state has reached this revision, after all changes up to it. */
  reached(revision: Revision): void;
  /** Called after each progress report of the store, after `reached`. */
  progressed(): void;
  /** Called when changes after the current state are lost. A call of `adopted` follows. */
  lost(horizon: Revision): void;
  /** Called when the store is stopped. */
  closed(): void;
}

export class CacheFeed {
  readonly #options: CacheFeedOptions;
  readonly #listener: FeedListener;
  #current: CacheState | undefined;
  #watch: Watch | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  #stopped = false;

  constructor(options: CacheFeedOptions, listener: FeedListener) {
    this.#options = options;
    this.#listener = listener;
  }

  /** Begins to load. Call it once. */
  start(): void {
    void this.#load();
  }

  /** Whether the store is being watched. False while a state is loaded or a retry is pending. */
  get isWatching(): boolean {
    return this.#watch !== undefined;
  }

  /** Asks the store to report its progress. Does nothing unless the store is being watched. */
  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    this.#watch?.stop();
    this.#watch = undefined;
  }

  async #load(): Promise<void> {
    try {
      const { storage, prefixes, describe, window, expected } = this.#options;
      const loaded = await loadState({ storage, prefixes, describe, backfill: window.events });
      if (this.#stopped) return;
      const onDrop = (previous: Entry): void => this.#options.onDrop(previous);
      const state = new CacheState(loaded.map, loaded.revision, {
        describe,
        window,
        onDrop,
        ...(expected !== undefined && { expected }),
      });
      this.#follow(state, loaded.target);
    } catch (caught) {
      this.#retry(toError(caught), () => this.#load());
    }
  }

  /** Watches the store from the revision of the state. The state becomes current once it has reached `target`. */
  #follow(state: CacheState, target: Revision): void {
    const sink = {
      events: (events: readonly StorageEvent[]): void => this.#apply(state, target, events),
      prepare: (events: readonly StorageEvent[]): void => state.prepare(events),
      progress: (revision: Revision): void => {
        this.#failures = 0;
        state.revision = Math.max(state.revision, revision);
        this.#advance(state, target);
        if (this.#current === state) this.#listener.progressed();
      },
      end: (reason: WatchEnd): void => this.#watchEnded(state, target, reason),
    };
    this.#advance(state, target);
    const ranges = this.#options.prefixes.map((prefix) => ({ prefix }));
    this.#watch = this.#options.storage.watch({ ranges, from: { after: state.revision } }, sink);
    this.#watch.requestProgress();
  }

  #apply(state: CacheState, target: Revision, events: readonly StorageEvent[]): void {
    this.#failures = 0;
    const isCurrent = this.#current === state;
    for (const event of events) {
      const change = state.apply(event);
      if (isCurrent && change !== undefined) this.#listener.changed(change);
    }
    this.#advance(state, target);
  }

  #advance(state: CacheState, target: Revision): void {
    if (this.#current !== state) {
      if (state.revision < target) return;
      this.#current = state;
      this.#listener.adopted(state);
    }
    this.#listener.reached(state.revision);
  }

  #watchEnded(state: CacheState, target: Revision, reason: WatchEnd): void {
    this.#watch = undefined;
    if (this.#stopped || reason.reason === 'stopped') return;
    if (reason.reason === 'closed') this.#close();
    else if (reason.reason === 'failed') {
      // No change is lost: the next storage watch continues at the revision of the state.
      this.#retry(reason.error, () => this.#follow(state, target));
    } else {
      this.#listener.lost(reason.horizon);
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
    this.#options.onTrouble(error);
    const delay = backoffDelay(RETRY, this.#failures++);
    this.#timer = this.#options.clock.setTimer(delay, () => {
      try {
        void task();
      } catch (caught) {
        this.#retry(toError(caught), task);
      }
    });
  }

  #close(): void {
    this.stop();
    this.#listener.closed();
  }
}
