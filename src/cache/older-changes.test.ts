import { describe, expect, it } from 'vitest';
import { all, names, objectBytes, PREFIX, RecordingSink, testCache } from './cache.fixtures.ts';
import type { CacheList } from './cache.ts';

describe('a watch cache over a shared store', () => {
  it('loads the current state of a shared store, and older changes when a watch needs them', async () => {
    const { store, cache, turns } = testCache();
    store.embedded = false;
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await store.put(`${PREFIX}a`, objectBytes('a', {}, 'x'));
    await store.delete(`${PREFIX}b`);
    await cache.start();
    expect(cache.stats().windowEventsNow).toBe(0);
    const watches = store.watchesMade;
    const reaching = [cache.reachBack(2), cache.reachBack(3)];
    expect(cache.reachBack(cache.revision)).toBeUndefined();
    await store.put(`${PREFIX}c`, objectBytes('c'));
    await Promise.all(reaching);
    expect(store.watchesMade).toBe(watches + 1);
    expect(cache.reachBack(0)).toBeUndefined();
    const sink = new RecordingSink();
    expect(cache.watch({ ...all, from: { after: 2 } }, sink).outcome).toBe('ok');
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED b@3', 'MODIFIED a@4', 'DELETED b@5', 'ADDED c@6']);
    const at = cache.snapshotAt(4);
    expect(at.outcome === 'ok' && names(at.snapshot.list({ prefix: PREFIX }) as CacheList)).toEqual(['a', 'b']);
    await cache.stop();
    expect(store.watches.size).toBe(0);
  });

  it('is compacted before a loaded state whose older changes the store no longer has', async () => {
    const { store, cache } = testCache();
    store.embedded = false;
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await cache.start();
    await store.inner.compact(3);
    expect(cache.reachBack(2)).toBeUndefined();
    expect(cache.watch({ ...all, from: { after: 2 } }, new RecordingSink()).outcome).toBe('compacted');
    await cache.stop();
  });

  it('ends the read of older changes when it is stopped', async () => {
    const { store, cache } = testCache();
    store.embedded = false;
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await cache.start();
    store.hold();
    const reaching = cache.reachBack(1);
    await cache.stop();
    await reaching;
    expect(store.watches.size).toBe(0);
    expect(store.clock.pendingTimers).toBe(0);
  });
});
