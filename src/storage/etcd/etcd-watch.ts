/**
 * A watch of the storage interface on etcd. It catches up to the position of the hub with its own watcher and then
 * receives events from the hub. A watch that needs previous states keeps its own watcher.
 * Invariant: the sink gets every event of the ranges above the start once and in order, also across the change from the
 * watcher to the hub.
 */
import { toError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import { GuardedSink } from '../guarded-sink.ts';
import { disjointPrefixes } from '../keys.ts';
import type { KeyValue, Revision, StorageEvent, Watch, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import type { KeyMap } from './key-map.ts';
import type { EtcdEvent } from './messages.ts';
import type { HubWatch, WatchHub } from './watch-hub.ts';
import { Watcher, type WatcherOptions } from './watcher.ts';

/**
 * How many events of the hub may wait while a watch catches up. One more ends the watch `failed`; the caller may resume
 * it.
 */
const MAX_WAITING = 100_000;
/** A live watch reports progress once per this many revisions. */
const REPORT_EVERY = 1000;

/** The parts of the driver that a watch uses. */
export interface WatchHost {
  readonly keys: KeyMap;
  readonly hub: WatchHub;
  readonly watcher: Omit<WatcherOptions, 'key' | 'end' | 'after' | 'previous'>;
  /** The highest revision that the driver has seen. */
  readonly revision: Revision;
  readonly horizon: Revision;
  /** Learns how the member in use reports progress, before a watcher is opened on it. Never rejects. */
  checkProgress(): Promise<void>;
  /** Returns the current revision by a quorum read. */
  readRevision(): Promise<Revision>;
  /** Reads the items of the prefixes at one revision, in key order. */
  readState(prefixes: readonly string[]): Promise<{ readonly items: readonly KeyValue[]; readonly revision: Revision }>;
  toEvent(event: EtcdEvent): StorageEvent;
  /** Called when etcd reports that the history below `horizon` is compacted. */
  learnHorizon(horizon: Revision): void;
  ended(watch: EtcdWatch): void;
}

export class EtcdWatch implements Watch, HubWatch {
  readonly #host: WatchHost;
  readonly #sink: GuardedSink;
  readonly #options: WatchOptions;
  readonly prefixes: readonly string[];
  /** Events at or below this revision are not delivered: they are before the start, or were delivered already. */
  #after: Revision = 0;
  /** The revision of the last `progress` call. */
  #reported: Revision = 0;
  /** The revision that a requested `progress` call must reach; 0: no call is requested. */
  #wanted: Revision = 0;
  #isLive = false;
  #waiting: StorageEvent[] = [];
  #watcher: Watcher | undefined;

  constructor(host: WatchHost, options: WatchOptions, sink: WatchSink) {
    this.#host = host;
    this.#options = options;
    this.prefixes = disjointPrefixes(options.ranges);
    this.#sink = new GuardedSink(sink, () => {
      host.hub.leave(this);
      this.#watcher?.stop();
      this.#waiting = [];
      host.ended(this);
    });
  }

  /** Begins the watch. Call it once. */
  start(): void {
    this.#begin().catch((caught) => this.finish({ reason: 'failed', error: toError(caught) }));
  }

  get isOver(): boolean {
    return this.#sink.over;
  }

  stop(): void {
    this.finish({ reason: 'stopped' });
  }

  requestProgress(): void {
    if (this.#sink.over) return;
    this.#wanted = Math.max(1, this.#host.revision);
    queueMicrotask(() => this.#answerProgress());
  }

  finish(reason: WatchEnd): void {
    this.#sink.finish(reason);
  }

  /** Whether all changes up to the revision were delivered, or the watch has ended. */
  hasReached(revision: Revision): boolean {
    return this.#sink.over || this.#position >= revision;
  }

  deliver(events: readonly StorageEvent[]): void {
    let mine: StorageEvent[] | undefined;
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as StorageEvent;
      if (event.revision <= this.#after || !this.#covers(event.key)) continue;
      if (mine === undefined) mine = [event];
      else mine.push(event);
    }
    if (mine === undefined) return;
    if (this.#isLive) {
      this.#pass(mine);
      return;
    }
    this.#waiting.push(...mine);
    if (this.#waiting.length <= MAX_WAITING) return;
    const error = new StorageError('Unavailable', `a watch fell ${this.#waiting.length} events behind`);
    this.finish({ reason: 'failed', error });
  }

  reached(revision: Revision): void {
    if (!this.#isLive) return;
    if (this.#wanted > 0) this.#answerProgress();
    else if (revision - this.#reported >= REPORT_EVERY) this.#report(revision);
  }

  overtaken(horizon: Revision): void {
    if (this.#after < horizon) this.compacted(horizon);
    else this.#joinAgain();
  }

  compacted(horizon: Revision): void {
    this.finish({ reason: 'compacted', horizon });
  }

  failed(error: Error): void {
    this.finish({ reason: 'failed', error });
  }

  async #begin(): Promise<void> {
    const { hub } = this.#host;
    // The sink must not be called before `watch` has returned.
    await Promise.resolve();
    const { previous = false } = this.#options;
    if (!previous) await hub.ready();
    // A watch without `previous` relies on the hub, whose start has called `checkProgress`.
    const asked = previous ? this.#host.checkProgress() : undefined;
    const start = await this.#startRevision(previous);
    await asked;
    if (start === undefined || this.#sink.over) return;
    this.#after = start;
    this.#reported = Math.min(start, this.#host.revision);
    if (previous) {
      this.#watchAlone();
      return;
    }
    // A compaction may have stopped the hub meanwhile. A watch that joined a stopped hub would miss changes.
    await hub.ready();
    if (!this.#sink.over) this.#joinHub();
  }

  /**
   * Delivers the initial state for `from: 'state'`. Returns the revision to watch from; undefined if the watch has
   * ended.
   */
  async #startRevision(alone: boolean): Promise<Revision | undefined> {
    const { from } = this.#options;
    const host = this.#host;
    if (typeof from === 'object') {
      const { horizon } = host;
      if (from.after >= horizon) return from.after;
      this.compacted(horizon);
      return undefined;
    }
    if (from === 'now') {
      const revision = await host.readRevision();
      // The hub may be ahead. Changes up to its position were made before the start, so they need not be delivered.
      const start = alone ? revision : Math.max(revision, host.hub.position);
      this.#sink.progress(start);
      return start;
    }
    const { items, revision } = await host.readState(this.prefixes);
    if (items.length > 0) this.#sink.events(items.map((item) => ({ type: 'put', ...item })));
    this.#sink.progress(revision);
    return revision;
  }

  #joinHub(): void {
    const { hub } = this.#host;
    hub.join(this);
    const goal = hub.position;
    if (this.#after >= goal) {
      this.#goLive();
      return;
    }
    const watcher = this.#createWatcher(false, {
      events: (events) => {
        const mine = events
          .map((event) => this.#host.toEvent(event))
          .filter((event) => event.revision <= goal && this.#covers(event.key));
        if (mine.length > 0) this.#sink.events(mine);
      },
      progress: (revision) => {
        if (revision < goal) return;
        this.#watcher?.stop();
        this.#watcher = undefined;
        this.#after = goal;
        this.#goLive();
      },
    });
    watcher.reach(goal);
  }

  /** Starts the catch-up again after a compaction. A watch whose position is above the horizon has missed no event. */
  #joinAgain(): void {
    const { hub } = this.#host;
    this.#isLive = false;
    hub.ready().then(
      () => {
        if (!this.#sink.over) this.#joinHub();
      },
      (caught: unknown) => this.failed(toError(caught)),
    );
  }

  #goLive(): void {
    if (this.#sink.over) return;
    this.#isLive = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.#pass(waiting);
    this.#answerProgress();
  }

  /** Opens a watcher with previous states, which serves the watch until its end. */
  #watchAlone(): void {
    this.#createWatcher(true, {
      events: (events) => {
        const mine: StorageEvent[] = [];
        for (const event of events) {
          const made = this.#host.toEvent(event);
          if (!this.#covers(made.key)) continue;
          const isFirst = event.type === 'put' && event.item.created === event.item.revision;
          if (made.previous === undefined && !isFirst) {
            this.#pass(mine);
            this.compacted(Math.max(this.#host.horizon, event.item.revision));
            return;
          }
          mine.push(made);
        }
        this.#pass(mine);
      },
      progress: () => this.#answerProgress(),
    });
    this.#answerProgress();
  }

  #createWatcher(
    previous: boolean,
    sink: { events(events: readonly EtcdEvent[]): void; progress(revision: Revision): void },
  ): Watcher {
    const { keys, watcher } = this.#host;
    const [first] = this.prefixes;
    const range = (this.prefixes.length === 1 && keys.range(first as string)) || keys;
    const made = new Watcher(
      { ...watcher, key: range.start, end: range.end, after: this.#after, previous },
      {
        ...sink,
        compacted: (horizon) => {
          this.#host.learnHorizon(horizon);
          this.compacted(horizon);
        },
        failed: (error) => this.failed(error),
      },
    );
    this.#watcher = made;
    made.start();
    return made;
  }

  get #position(): Revision {
    if (this.#isLive) return this.#host.hub.position;
    return this.#options.previous ? (this.#watcher?.position ?? 0) : 0;
  }

  /** Reports the progress that was requested, or asks etcd for it. */
  #answerProgress(): void {
    if (this.#wanted === 0 || this.#sink.over) return;
    const position = this.#position;
    if (position === 0) return;
    if (position < this.#wanted) {
      if (this.#isLive) this.#host.hub.reach(this.#wanted);
      else this.#watcher?.reach(this.#wanted);
      return;
    }
    // The position of a watch that starts in the future is above the revision of the store.
    this.#report(Math.min(position, this.#host.revision));
  }

  #report(revision: Revision): void {
    this.#wanted = 0;
    if (revision < this.#reported) return;
    this.#reported = revision;
    this.#sink.progress(revision);
  }

  #pass(events: readonly StorageEvent[]): void {
    if (events.length > 0) this.#sink.events(events);
  }

  #covers(key: string): boolean {
    const prefixes = this.prefixes;
    for (let i = 0; i < prefixes.length; i++) if (key.startsWith(prefixes[i] as string)) return true;
    return false;
  }
}
