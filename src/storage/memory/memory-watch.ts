/**
 * One watch of a memory store. Invariant: everything of its ranges up to `#position` has been delivered, and calls of the sink never
 * overlap. Nothing is queued: a watch that begins late reads what it missed from the history.
 */
import { GuardedSink } from '../guarded-sink.ts';
import type { KeyRange } from '../keys.ts';
import { prefixEnd } from '../keys.ts';
import type { Revision, StorageEvent, Watch, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import type { World } from './world.ts';

// A watch whose ranges are quiet hears of the store's progress after so many revisions.
const PROGRESS_REVISIONS = 1000;

export class MemoryWatch implements Watch {
  readonly #world: World;
  readonly #sink: GuardedSink;
  readonly #prefixes: readonly string[];
  readonly #from: WatchOptions['from'];
  readonly #lookBack: boolean;
  #position: Revision;
  /** The last revision that the sink has heard of. */
  #told = 0;
  #started = false;
  #progressAsked = false;

  constructor(world: World, options: WatchOptions, sink: WatchSink, onEnd: (watch: MemoryWatch) => void) {
    this.#world = world;
    this.#sink = new GuardedSink(sink, () => onEnd(this));
    this.#prefixes = disjointPrefixes(options.ranges);
    this.#from = options.from;
    this.#lookBack = options.lookBack ?? false;
    this.#position = typeof options.from === 'object' ? options.from.after : world.revision;
    queueMicrotask(() => this.#start());
  }

  stop(): void {
    this.finish({ reason: 'stopped' });
  }

  requestProgress(): void {
    if (this.#progressAsked || this.#sink.over) return;
    this.#progressAsked = true;
    // Runs after #start, whose microtask was queued earlier.
    queueMicrotask(() => {
      this.#progressAsked = false;
      this.#progress(this.#world.revision);
    });
  }

  /** The events of newly committed revisions, in order. */
  deliver(events: readonly StorageEvent[], revision: Revision): void {
    if (!this.#started || this.#sink.over) return; // #start reads them from the history
    const position = this.#position;
    if (revision > position) this.#position = revision;
    const mine = events.filter((event) => event.revision > position && this.#covers(event.key));
    if (mine.length > 0) this.#events(mine);
    else if (revision - this.#told >= PROGRESS_REVISIONS) this.#progress(revision);
  }

  /** Ends the watch now, or after the call that is under way. */
  finish(reason: WatchEnd): void {
    this.#sink.finish(reason);
  }

  #start(): void {
    if (this.#sink.over) return;
    this.#started = true;
    const world = this.#world;
    if (this.#from === 'state') {
      const state: StorageEvent[] = [];
      for (const prefix of this.#prefixes) {
        world.items.forEachFrom(prefix, prefixEnd(prefix), ({ key, value, revision, created }) => {
          state.push({ type: 'put', key, value, revision, created, previous: undefined });
        });
      }
      this.#position = world.revision;
      const revision = world.revision;
      if (state.length > 0) this.#events(state);
      this.#progress(revision);
      return;
    }
    if (this.#from === 'now') this.#progress(this.#position);
    // 'now' asks for nothing behind any horizon, even one that has just moved.
    const oldest = this.#lookBack || this.#from === 'now' ? world.history.oldest : world.horizon;
    if (this.#position < oldest) {
      this.finish({ reason: 'compacted', horizon: oldest });
      return;
    }
    const missed: StorageEvent[] = [];
    world.history.forEachEvent(this.#position, world.revision, (event) => {
      if (this.#covers(event.key)) missed.push(event);
    });
    this.#position = Math.max(this.#position, world.revision);
    if (missed.length > 0) this.#events(missed);
  }

  #covers(key: string): boolean {
    for (const prefix of this.#prefixes) if (key.startsWith(prefix)) return true;
    return false;
  }

  #events(events: readonly StorageEvent[]): void {
    this.#told = this.#position;
    this.#sink.events(events);
  }

  #progress(revision: Revision): void {
    this.#told = revision;
    this.#sink.progress(revision);
  }
}

/** The same keys, in key order, no prefix inside another. */
function disjointPrefixes(ranges: readonly KeyRange[]): string[] {
  const prefixes: string[] = [];
  for (const prefix of ranges.map((range) => range.prefix).sort()) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }
  return prefixes;
}
