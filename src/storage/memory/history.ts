/**
 * The past of a memory store: the changes of every revision that is kept, and the state at each of them.
 * Invariant: states from `oldest` to the present can be had, and the changes of every revision above `oldest` are here, so that a
 * watch after any revision from `oldest` on misses nothing.
 */
import { OrderedMap } from '../../base/ordered-map.ts';
import type { KeyValue, Revision, StorageEvent } from '../storage.ts';

/** How much history is kept. What is forgotten first is what is oldest. */
export interface MemoryRetention {
  /** Revisions at most, in front of the horizon or behind it: the horizon moves up with what has to go. Default 100,000. */
  readonly revisions: number;
  /** Bytes of values that only history still holds, and some for each event, at most, in front of the horizon or behind it. Default 256 MiB. */
  readonly bytes: number;
  /** Changes behind the horizon are forgotten when they are older than this. Default one hour. */
  readonly ageMs: number;
}

export const DEFAULT_RETENTION: MemoryRetention = { revisions: 100_000, bytes: 256 * 1024 * 1024, ageMs: 3_600_000 };

interface Change {
  readonly time: number;
  readonly events: readonly StorageEvent[];
  readonly bytes: number;
}

export type Items = OrderedMap<string, KeyValue>;

// A whole state is kept for every so many revisions; those between are made from the next one by undoing changes. A state of its own
// for every revision would cost 2-3 KB each.
const CHECKPOINT_REVISIONS = 1024;
// States made that way which are remembered: the pages of a few lists at old revisions.
const RECENT_STATES = 8;
// What an event costs beyond its values, roughly.
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

  /** O(1); both go their own way. */
  clone(): History {
    const copy = new History(this.oldest);
    copy.#bytes = this.#bytes;
    copy.#changes = this.#changes.clone();
    copy.#checkpoints = this.#checkpoints.clone();
    return copy;
  }

  /** Notes the changes of the newest revision; `items` is the state after it. */
  add(revision: Revision, time: number, events: readonly StorageEvent[], items: Items): void {
    let bytes = 0;
    for (const event of events) bytes += EVENT_BYTES + (event.previous?.value.byteLength ?? 0);
    this.#changes.set(revision, { time, events, bytes });
    this.#bytes += bytes;
    if (revision % CHECKPOINT_REVISIONS === 0) this.#checkpoints.set(revision, items.clone());
  }

  /** Forgets what the retention does not allow; `horizon` is the compaction horizon. */
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

  /** Events of the revisions in (after, upTo], in order. */
  forEachEvent(after: Revision, upTo: Revision, callback: (event: StorageEvent) => void): void {
    this.#changes.forEachFrom(after + 1, upTo + 1, (change) => {
      for (const event of change.events) callback(event);
    });
  }

  /** The state at a revision from `oldest` on that is below the present one. Nobody changes it. */
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
