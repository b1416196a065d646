/**
 * The state and the event window of a cache.
 * Invariant: `map` is the store's state of the cache's prefixes at `revision`.
 */
import { type Allocate, allocateBytes } from '../base/bytes.ts';
import type { OrderedMap } from '../base/ordered-map.ts';
import type { PutEvent, Revision, StorageEvent } from '../storage/storage.ts';
import type { Describe, Entry, WindowBounds } from './cache.ts';
import { Change } from './change.ts';
import { makeEntry, makeOwnEntry } from './entry.ts';
import { createNewEntrySlab } from './entry-slab.ts';
import { EventWindow } from './event-window.ts';
import type { ExpectedEntries } from './expected-entries.ts';
import { PreparedEntries } from './prepared-entries.ts';
import { FEWEST_ENTRIES } from './settler.ts';

export class CacheState {
  readonly map: OrderedMap<string, Entry>;
  readonly window: EventWindow;
  revision: Revision;
  /** The number of broken entries. */
  broken = 0;
  readonly #describe: Describe;
  readonly #expected: ExpectedEntries | undefined;
  readonly #prepared = new PreparedEntries();
  readonly #newEntries = createNewEntrySlab();

  /** Takes ownership of `map`, which is the state at `revision`. */
  constructor(
    map: OrderedMap<string, Entry>,
    revision: Revision,
    options: {
      readonly describe: Describe;
      readonly window: WindowBounds;
      readonly onDrop: (previous: Entry) => void;
      readonly expected?: ExpectedEntries;
    },
  ) {
    this.map = map;
    this.revision = revision;
    this.#describe = options.describe;
    this.#expected = options.expected;
    this.window = new EventWindow(options.window, revision, options.onDrop);
    map.forEachFrom(undefined, undefined, (entry) => {
      if (entry.broken !== undefined) this.broken++;
    });
  }

  /** Makes the entries of events that a commit in flight will deliver. `apply` then uses them. */
  prepare(events: readonly StorageEvent[]): void {
    this.#prepared.prepare(events, (event) =>
      event.type === 'put'
        ? makeOwnEntry(this.#describe, event.key, event.revision, event.value, this.#allocateFor(event))
        : undefined,
    );
  }

  /** Applies one event. Returns undefined for the deletion of an unknown key, which changes nothing. */
  apply(event: StorageEvent): Change | undefined {
    const { key, revision } = event;
    const prepared = this.#prepared.take(event);
    const entry = event.type === 'put' ? (prepared ?? this.#entryOf(event)) : undefined;
    const previous = entry === undefined ? this.map.delete(key) : this.map.set(key, entry);
    this.revision = Math.max(this.revision, revision);
    if (entry === undefined && previous === undefined) return undefined;
    if (entry?.broken !== undefined) this.broken++;
    if (previous?.broken !== undefined) this.broken--;
    const change = new Change(key, revision, entry, previous);
    this.window.push(change);
    return change;
  }

  #entryOf(event: PutEvent): Entry {
    const { key, revision, value, isOwn } = event;
    const expected = this.#expected?.take(key, revision, value);
    if (expected !== undefined) return expected;
    const make = isOwn === true ? makeOwnEntry : makeEntry;
    return make(this.#describe, key, revision, value, this.#allocateFor(event));
  }

  /**
   * The entries of new objects share slabs. Those of changed objects are often replaced again, and would keep a slab alive
   * for little.
   */
  #allocateFor({ created, revision }: PutEvent): Allocate {
    return created === revision && this.map.size >= FEWEST_ENTRIES ? this.#newEntries.cut : allocateBytes;
  }

  /**
   * Returns the map at a revision, which must be at or above the window's floor: a clone on which later changes are
   * undone.
   */
  mapAt(revision: Revision): OrderedMap<string, Entry> {
    const map = this.map.clone();
    const { window } = this;
    const first = window.sequenceAfter(revision);
    for (let sequence = window.end - 1; sequence >= first; sequence--) {
      const { key, previous } = window.at(sequence)!;
      if (previous === undefined) map.delete(key);
      else map.set(key, previous);
    }
    return map;
  }
}
