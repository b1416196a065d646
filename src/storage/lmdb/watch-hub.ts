/**
 * Hands each commit to the watches that are up to date with it. Invariant: a watch is in the hub exactly while it has everything up to
 * the acknowledged revision; the cost of a change depends on the lengths of the watched prefixes, not on how many watches there are.
 */
import type { Revision, StorageEvent, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import { type Change, eventOf } from './change.ts';
import { revisionOf } from './layout.ts';
import { Watcher, type WatchHost } from './watcher.ts';

/** A watch whose ranges are quiet hears of the revision at least this often. */
const PROGRESS_EVERY = 1024;

export class WatchHub {
  readonly #all = new Set<Watcher>();
  readonly #byPrefix = new Map<string, Set<Watcher>>();
  /** Lengths of the watched prefixes, each with the number of its prefixes; and the lengths alone, ascending. */
  readonly #counts = new Map<number, number>();
  #lengths: number[] = [];
  #progressed = 0;
  readonly #host: WatchHost;

  constructor(host: Omit<WatchHost, 'live' | 'ended'>) {
    this.#host = {
      ...host,
      live: (watcher) => this.#attach(watcher),
      ended: (watcher) => this.#detach(watcher),
    };
  }

  watch(options: WatchOptions, sink: WatchSink): Watcher {
    const watcher = new Watcher(this.#host, options, sink);
    this.#all.add(watcher);
    return watcher;
  }

  /** Called once per commit, when it is durable and `revision()` already says so. */
  deliver(changes: readonly Change[], revision: Revision): void {
    if (this.#byPrefix.size > 0) {
      const touched: Watcher[] = [];
      for (const change of changes) this.#offer(change, touched);
      for (const watcher of touched) watcher.deliverPending(revision);
    }
    if (revision - this.#progressed >= PROGRESS_EVERY) {
      this.#progressed = revision;
      for (const watcher of [...this.#all]) watcher.giveProgress(revision);
    }
  }

  endAll(end: WatchEnd): void {
    for (const watcher of [...this.#all]) watcher.finish(end);
  }

  #offer(change: Change, touched: Watcher[]): void {
    let event: StorageEvent | undefined;
    const revision = revisionOf(change.position);
    for (const length of this.#lengths) {
      if (length > change.key.length) break;
      const watchers = this.#byPrefix.get(change.key.slice(0, length));
      if (watchers === undefined) continue;
      for (const watcher of watchers) {
        if (!watcher.wants(revision)) continue;
        event ??= eventOf(change, change.previous);
        if (watcher.pending.length === 0) touched.push(watcher);
        watcher.pending.push(event);
      }
    }
  }

  #attach(watcher: Watcher): void {
    for (const prefix of watcher.prefixes) {
      let watchers = this.#byPrefix.get(prefix);
      if (watchers === undefined) {
        watchers = new Set();
        this.#byPrefix.set(prefix, watchers);
        this.#count(prefix.length, 1);
      }
      watchers.add(watcher);
    }
  }

  #detach(watcher: Watcher): void {
    this.#all.delete(watcher);
    for (const prefix of watcher.prefixes) {
      const watchers = this.#byPrefix.get(prefix);
      if (!watchers?.delete(watcher) || watchers.size > 0) continue;
      this.#byPrefix.delete(prefix);
      this.#count(prefix.length, -1);
    }
  }

  /** One prefix of this length more, or less. */
  #count(length: number, change: 1 | -1): void {
    const count = (this.#counts.get(length) ?? 0) + change;
    if (count === 0) this.#counts.delete(length);
    else this.#counts.set(length, count);
    if (this.#counts.size !== this.#lengths.length) this.#lengths = [...this.#counts.keys()].sort((a, b) => a - b);
  }
}
