/**
 * One watch of a memory store. It has no queue: when it starts, it reads the events since its start revision from the
 * history.
 * Invariants: all events of its ranges up to `#position` have been delivered; calls of the sink never overlap.
 */
import { GuardedSink } from '../guarded-sink.ts';
import { disjointPrefixes, prefixEnd } from '../keys.ts';
import type { Revision, StorageEvent, Watch, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import type { MemoryState } from './memory-state.ts';

// After this many revisions without an event in its ranges a watch gets a `progress` call.
const PROGRESS_REVISIONS = 1000;

export class MemoryWatch implements Watch {
  readonly #state: MemoryState;
  readonly #sink: GuardedSink;
  readonly #prefixes: readonly string[];
  readonly #from: WatchOptions['from'];
  readonly #lookBack: boolean;
  #position: Revision;
  /** The revision of the last call of the sink, for `PROGRESS_REVISIONS`. */
  #told = 0;
  #started = false;
  #progressAsked = false;

  constructor(state: MemoryState, options: WatchOptions, sink: WatchSink, onEnd: (watch: MemoryWatch) => void) {
    this.#state = state;
    this.#sink = new GuardedSink(sink, () => onEnd(this));
    this.#prefixes = disjointPrefixes(options.ranges);
    this.#from = options.from;
    this.#lookBack = options.lookBack ?? false;
    this.#position = typeof options.from === 'object' ? options.from.after : state.revision;
  }

  /** Schedules the first call of the sink. Call it once. */
  start(): void {
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
      this.#progress(this.#state.revision);
    });
  }

  /** Takes the events of newly committed revisions, in order. */
  deliver(events: readonly StorageEvent[], revision: Revision): void {
    if (!this.#started || this.#sink.over) return; // #start reads missed events from the history
    const position = this.#position;
    if (revision > position) this.#position = revision;
    const mine = events.filter((event) => event.revision > position && this.#covers(event.key));
    if (mine.length > 0) this.#events(mine);
    else if (revision - this.#told >= PROGRESS_REVISIONS) this.#progress(revision);
  }

  /** Ends the watch now, or after the call of the sink that is running. */
  finish(reason: WatchEnd): void {
    this.#sink.finish(reason);
  }

  #start(): void {
    if (this.#sink.over) return;
    this.#started = true;
    const state = this.#state;
    if (this.#from === 'state') {
      const puts: StorageEvent[] = [];
      for (const prefix of this.#prefixes) {
        state.items.forEachFrom(prefix, prefixEnd(prefix), ({ key, value, revision, created }) => {
          puts.push({ type: 'put', key, value, revision, created, previous: undefined });
        });
      }
      this.#position = state.revision;
      const revision = state.revision;
      if (puts.length > 0) this.#events(puts);
      this.#progress(revision);
      return;
    }
    if (this.#from === 'now') this.#progress(this.#position);
    // A watch from 'now' needs no history below the horizon, even if the horizon has just moved.
    const oldest = this.#lookBack || this.#from === 'now' ? state.history.oldest : state.horizon;
    if (this.#position < oldest) {
      this.finish({ reason: 'compacted', horizon: oldest });
      return;
    }
    const missed: StorageEvent[] = [];
    state.history.forEachEvent(this.#position, state.revision, (event) => {
      if (this.#covers(event.key)) missed.push(event);
    });
    this.#position = Math.max(this.#position, state.revision);
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
