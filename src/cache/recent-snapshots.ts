/**
 * Keeps snapshots for the further pages of lists.
 * Invariants: at most `CAPACITY` snapshots are kept, and the least recently used one is dropped first. A snapshot that
 * is not used between two ticks is dropped.
 */
import type { Revision } from '../storage/storage.ts';
import type { Snapshot } from './snapshot.ts';

const CAPACITY = 16;

export class RecentSnapshots {
  /** Snapshots by revision, the least recently used first. */
  readonly #kept = new Map<Revision, { readonly snapshot: Snapshot; used: boolean }>();

  get size(): number {
    return this.#kept.size;
  }

  get(revision: Revision): Snapshot | undefined {
    const kept = this.#kept.get(revision);
    if (kept !== undefined) this.put(kept.snapshot);
    return kept?.snapshot;
  }

  put(snapshot: Snapshot): void {
    this.#kept.delete(snapshot.revision);
    this.#kept.set(snapshot.revision, { snapshot, used: true });
    for (const revision of this.#kept.keys()) {
      if (this.#kept.size <= CAPACITY) return;
      this.#kept.delete(revision);
    }
  }

  tick(): void {
    for (const [revision, kept] of this.#kept) {
      if (!kept.used) this.#kept.delete(revision);
      kept.used = false;
    }
  }

  clear(): void {
    this.#kept.clear();
  }
}
