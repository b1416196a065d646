/** A cache that is filled the usual way: by a storage watch that delivers put events. */
import { describeJson } from '../src/cache/describe-json.ts';
import { WatchCache } from '../src/cache/watch-cache.ts';
import type { StorageEvent } from '../src/storage/storage.ts';
import { keyOf, objectBytes, PREFIX } from './objects.ts';
import { type StubStorage, stubStorage } from './stub-storage.ts';

export interface LoadedCache {
  readonly cache: WatchCache;
  readonly store: StubStorage;
  /** Runs what the cache has scheduled for the next turn. */
  turn(): void;
}

export function putEvent(store: StubStorage, index: number, value: Uint8Array): StorageEvent {
  const revision = store.next();
  return { type: 'put', key: keyOf(index), value, revision, created: revision, previous: undefined };
}

export async function loadedCache(objects: number): Promise<LoadedCache> {
  const store = stubStorage();
  let scheduled: (() => void)[] = [];
  const cache = new WatchCache({
    storage: store.storage,
    prefixes: [PREFIX],
    describe: describeJson(),
    scheduler: (callback) => void scheduled.push(callback),
  });
  await cache.start();
  for (let i = 0; i < objects; i++) store.deliver([putEvent(store, i, objectBytes(i))]);
  return {
    cache,
    store,
    turn: () => {
      const callbacks = scheduled;
      scheduled = [];
      for (const callback of callbacks) callback();
    },
  };
}
