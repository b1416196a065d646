/**
 * The entries of the events of one commit, made while the store syncs the commit.
 * Invariant: an entry is used only for the event object that it was made from. The entries of a failed commit are never
 * used.
 */
import type { StorageEvent } from '../storage/storage.ts';
import type { Entry } from './cache.ts';

const NONE: readonly never[] = [];

export class PreparedEntries {
  #events: readonly StorageEvent[] = NONE;
  #entries: readonly (Entry | undefined)[] = NONE;
  #next = 0;

  /** Replaces all entries. `make` returns undefined for a deletion. */
  prepare(events: readonly StorageEvent[], make: (event: StorageEvent) => Entry | undefined): void {
    this.#events = events;
    this.#entries = events.map(make);
    this.#next = 0;
  }

  /** Returns the entry of an event, if it is the next event in the order of `prepare`. */
  take(event: StorageEvent): Entry | undefined {
    if (this.#events[this.#next] !== event) return undefined;
    const entry = this.#entries[this.#next++];
    if (this.#next === this.#events.length) this.#events = this.#entries = NONE;
    return entry;
  }
}
