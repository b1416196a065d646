/**
 * The entries of the events of one commit, made while the store syncs it.
 * Invariant: an entry is used only for the very event that it was made of. The entries of a commit that failed are
 * never used.
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

  /** The entry of an event, if the events before it were taken, too. */
  take(event: StorageEvent): Entry | undefined {
    if (this.#events[this.#next] !== event) return undefined;
    const entry = this.#entries[this.#next++];
    if (this.#next === this.#events.length) this.#events = this.#entries = NONE;
    return entry;
  }
}
