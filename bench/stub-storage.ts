/** A store that delivers events to one watch and keeps no value. It feeds the caches of these benchmarks. */
import type { Revision, Storage, StorageEvent, WatchSink } from '../src/storage/storage.ts';

export interface StubStorage {
  readonly storage: Storage;
  /** Delivers the events to the watch. */
  deliver(events: readonly StorageEvent[]): void;
  /** Returns the next revision. */
  next(): Revision;
}

export function stubStorage(): StubStorage {
  let revision = 1;
  let sink: WatchSink | undefined;
  const storage: Partial<Storage> = {
    driver: 'stub',
    revision: () => revision,
    horizon: () => 1,
    list: () => ({ outcome: 'ok', items: [], revision, next: undefined, remaining: 0 }),
    watch(_, to) {
      sink = to;
      return { stop: () => {}, requestProgress: () => to.progress(revision) };
    },
  };
  return {
    storage: storage as Storage,
    deliver: (events) => sink?.events(events),
    next: () => ++revision,
  };
}
