/** A store that only delivers events to one watch and keeps no value: what the caches of these benchmarks are fed from. */
import type { Revision, Storage, StorageEvent, WatchSink } from '../src/storage/storage.ts';

export interface StubStorage {
  readonly storage: Storage;
  /** Delivers these events to the watch. */
  deliver(events: readonly StorageEvent[]): void;
  /** The next revision. */
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
