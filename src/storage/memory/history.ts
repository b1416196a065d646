/**
 * The history of a memory store: the changes of each kept revision, and the state at each of them.
 * Invariant: the states of all revisions from `oldest` on can be computed, and the changes of all revisions above
 * `oldest` are kept. So a watch after any revision from `oldest` on misses nothing.
 */
import { OrderedMap } from '../../base/ordered-map.ts';
import type { KeyValue, Revision, StorageEvent } from '../storage.ts';

/** How much history is kept. The oldest revisions are dropped first. */
export interface MemoryRetention {
  /**
   * The most revisions to keep. If revisions above the horizon have to be dropped, the horizon moves up. Default
   * 100,000.
   */
  readonly revisions: number;
  /**
   * The most bytes of values that only the history keeps alive, plus an overhead per event. The horizon moves up as for
   * `revisions`. Default 256 MiB.
   */
  readonly bytes: number;
  /** Changes at or below the horizon are dropped when they are older than this. Default one hour. */
  readonly ageMs: number;
}

export const DEFAULT_RETENTION: MemoryRetention = { revisions: 100_000, bytes: 256 * 1024 * 1024, ageMs: 3_600_000 };

interface Change {
  readonly time: number;
  readonly events: readonly StorageEvent[];
  readonly bytes: number;
}

export type Items = OrderedMap<string, KeyValue>;

// One in this many revisions keeps its whole state. Other states are computed from the next kept state by undoing
// changes. Keeping every state would cost 2-3 KB per revision.
const CHECKPOINT_REVISIONS = 1024;
// How many computed states are cached, for lists at old revisions that are read in pages.
const RECENT_STATES = 8;
// The approximate cost of an event beyond its values.
const EVENT_BYTES = 200;

export class History {
  oldest: Revision;
  #bytes = 0;
  #changes: OrderedMap<Revision, Change> = new OrderedMap();
  #checkpoints: OrderedMap<Revision, Items> = new OrderedMap();
  readonly #recent = new Map<Revision, Items>();

  constructor(oldest: Revision) {
    this.oldest = oldest;
  }

  /** An independent copy. O(1). */
  clone(): History {
    const copy = new History(this.oldest);
    copy.#bytes = this.#bytes;
    copy.#changes = this.#changes.clone();
    copy.#checkpoints = this.#checkpoints.clone();
    return copy;
  }

  /** Adds the changes of the newest revision; `items` is the state after it. */
  add(revision: Revision, time: number, events: readonly StorageEvent[], items: Items): void {
    let bytes = 0;
    for (const event of events) bytes += EVENT_BYTES + (event.previous?.value.byteLength ?? 0);
    this.#changes.set(revision, { time, events, bytes });
    this.#bytes += bytes;
    if (revision % CHECKPOINT_REVISIONS === 0) this.#checkpoints.set(revision, items.clone());
  }

  /** Drops the changes that exceed the retention; `horizon` is the compaction horizon. */
  trim(retention: MemoryRetention, now: number, horizon: Revision): void {
    for (;;) {
      const first = this.#changes.at(0);
      if (first === undefined) return;
      const full = this.#changes.size > retention.revisions || this.#bytes > retention.bytes;
      const old = first.key <= horizon && now - first.value.time >= retention.ageMs;
      if (!full && !old) return;
      this.#changes.delete(first.key);
      this.#checkpoints.delete(first.key - 1);
      this.#recent.delete(first.key - 1);
      this.#bytes -= first.value.bytes;
      this.oldest = first.key;
    }
  }

  /** Calls back for the events of the revisions above `after` up to `upTo`, in order. */
  forEachEvent(after: Revision, upTo: Revision, callback: (event: StorageEvent) => void): void {
    this.#changes.forEachFrom(after + 1, upTo + 1, (change) => {
      for (const event of change.events) callback(event);
    });
  }

  /** The state at a revision from `oldest` on and below the current one. It must not be changed. */
  stateAt(revision: Revision, present: Items, presentRevision: Revision): Items {
    const known = this.#checkpoints.get(revision) ?? this.#recent.get(revision);
    if (known !== undefined) return known;
    const later = this.#checkpoints.at(this.#checkpoints.rank(revision));
    const state = (later?.value ?? present).clone();
    const undo: StorageEvent[] = [];
    this.forEachEvent(revision, later?.key ?? presentRevision, (event) => undo.push(event));
    for (let i = undo.length - 1; i >= 0; i--) {
      const event = undo[i]!;
      if (event.previous === undefined) state.delete(event.key);
      else state.set(event.key, event.previous);
    }
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size < RECENT_STATES) break;
      this.#recent.delete(oldest);
    }
    this.#recent.set(revision, state);
    return state;
  }
}
