/**
 * Passes the changes of each commit to the watches that have caught up.
 * Invariants: a watch is attached exactly while it has all events up to the acknowledged revision. The cost of a change
 * depends on the number of watches that get it, not on the number of all watches.
 */
import type { Revision, StorageEvent, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import { eventOf, type KeyChange } from './key-version.ts';
import { revisionOf } from './layout.ts';
import { LmdbWatch, type WatchHost } from './lmdb-watch.ts';
import { PrefixIndex } from './prefix-index.ts';

/** The most revisions between two `progress` calls of a watch without events. */
const PROGRESS_EVERY = 1024;

export class WatchHub {
  readonly #all = new Set<LmdbWatch>();
  readonly #live = new PrefixIndex<LmdbWatch>();
  #progressed = 0;
  /**
   * The changes of the commit in flight, and the events that were announced to sinks. An event is undefined if no sink
   * prepares for it.
   */
  #prepared:
    | { readonly changes: readonly KeyChange[]; readonly events: readonly (StorageEvent | undefined)[] }
    | undefined;
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

  /**
   * Announces the changes of a commit to the sinks that have `prepare`. Unless the commit fails, `deliver` is then
   * called with the same array.
   */
  prepare(changes: readonly KeyChange[]): void {
    const touched: LmdbWatch[] = [];
    const events = changes.map((change) => this.#offer(change, undefined, touched, 'prepare'));
    this.#prepared = { changes, events };
    for (const watch of touched) watch.prepareUpcoming();
  }

  /** Called once per commit, when it is durable and `revision()` returns its revision. */
  deliver(changes: readonly KeyChange[], revision: Revision): void {
    if (!this.#live.isEmpty) {
      const touched: LmdbWatch[] = [];
      const events = this.#prepared?.changes === changes ? this.#prepared.events : [];
      this.#prepared = undefined;
      for (let i = 0; i < changes.length; i++) this.#offer(changes[i]!, events[i], touched, 'deliver');
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

  /**
   * Adds the event of a change to the watches that want it, and adds these watches to `touched`. `made` is the event if
   * it exists already. Returns the event; undefined if no watch wants it.
   */
  #offer(
    change: KeyChange,
    made: StorageEvent | undefined,
    touched: LmdbWatch[],
    step: 'prepare' | 'deliver',
  ): StorageEvent | undefined {
    let event = made;
    const revision = revisionOf(change.position);
    for (const watch of this.#live.find(change.key)) {
      if (!watch.wants(revision) || (step === 'prepare' && !watch.prepares)) continue;
      event ??= eventOf(change, change.previous);
      const events = step === 'prepare' ? watch.upcoming : watch.pending;
      if (events.length === 0) touched.push(watch);
      events.push(event);
    }
    return event;
  }

  #attach(watch: LmdbWatch): void {
    for (const prefix of watch.prefixes) this.#live.add(prefix, watch);
  }

  #detach(watch: LmdbWatch): void {
    this.#all.delete(watch);
    for (const prefix of watch.prefixes) this.#live.remove(prefix, watch);
  }
}
