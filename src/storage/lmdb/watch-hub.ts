/**
 * The dispatcher of commits to the watches that have caught up.
 * Invariants: a watch is attached exactly while it has everything up to the acknowledged revision; the cost of a change
 * depends on the number of distinct prefix lengths and not on the number of watches.
 */
import type { Revision, StorageEvent, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import { eventOf, type KeyChange } from './key-version.ts';
import { revisionOf } from './layout.ts';
import { LmdbWatch, type WatchHost } from './lmdb-watch.ts';

/** The most revisions between two `progress` calls of a watch without events. */
const PROGRESS_EVERY = 1024;

export class WatchHub {
  readonly #all = new Set<LmdbWatch>();
  readonly #byPrefix = new Map<string, Set<LmdbWatch>>();
  /** How many prefixes there are of each length, and the lengths in ascending order. */
  readonly #counts = new Map<number, number>();
  #lengths: number[] = [];
  #progressed = 0;
  readonly #host: WatchHost;

  constructor(host: Omit<WatchHost, 'live' | 'ended'>) {
    this.#host = {
      ...host,
      live: (watch) => this.#attach(watch),
      ended: (watch) => this.#detach(watch),
    };
  }

  watch(options: WatchOptions, sink: WatchSink): LmdbWatch {
    const watch = new LmdbWatch(this.#host, options, sink);
    this.#all.add(watch);
    watch.start();
    return watch;
  }

  /** Called once per commit, when it is durable and `revision()` returns its revision. */
  deliver(changes: readonly KeyChange[], revision: Revision): void {
    if (this.#byPrefix.size > 0) {
      const touched: LmdbWatch[] = [];
      for (const change of changes) this.#offer(change, touched);
      for (const watch of touched) watch.deliverPending(revision);
    }
    if (revision - this.#progressed >= PROGRESS_EVERY) {
      this.#progressed = revision;
      for (const watch of [...this.#all]) watch.giveProgress(revision);
    }
  }

  endAll(end: WatchEnd): void {
    for (const watch of [...this.#all]) watch.finish(end);
  }

  #offer(change: KeyChange, touched: LmdbWatch[]): void {
    let event: StorageEvent | undefined;
    const revision = revisionOf(change.position);
    for (const length of this.#lengths) {
      if (length > change.key.length) break;
      const watches = this.#byPrefix.get(change.key.slice(0, length));
      if (watches === undefined) continue;
      for (const watch of watches) {
        if (!watch.wants(revision)) continue;
        event ??= eventOf(change, change.previous);
        if (watch.pending.length === 0) touched.push(watch);
        watch.pending.push(event);
      }
    }
  }

  #attach(watch: LmdbWatch): void {
    for (const prefix of watch.prefixes) {
      let watches = this.#byPrefix.get(prefix);
      if (watches === undefined) {
        watches = new Set();
        this.#byPrefix.set(prefix, watches);
        this.#count(prefix.length, 1);
      }
      watches.add(watch);
    }
  }

  #detach(watch: LmdbWatch): void {
    this.#all.delete(watch);
    for (const prefix of watch.prefixes) {
      const watches = this.#byPrefix.get(prefix);
      if (!watches?.delete(watch) || watches.size > 0) continue;
      this.#byPrefix.delete(prefix);
      this.#count(prefix.length, -1);
    }
  }

  /** Adds or removes one prefix of this length. */
  #count(length: number, change: 1 | -1): void {
    const count = (this.#counts.get(length) ?? 0) + change;
    if (count === 0) this.#counts.delete(length);
    else this.#counts.set(length, count);
    if (this.#counts.size !== this.#lengths.length) this.#lengths = [...this.#counts.keys()].sort((a, b) => a - b);
  }
}
