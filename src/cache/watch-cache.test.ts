import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { settle } from '../base/virtual-clock.ts';
import { StorageError } from '../storage/errors.ts';
import { all, labelFilter, names, objectBytes, PREFIX, RecordingSink, testCache } from './cache.fixtures.ts';
import type { CacheList, FreshResult } from './cache.ts';

describe('reads of the watch cache', () => {
  it('shows what the store holds, with the revision of each object', async () => {
    const { store, cache } = testCache();
    await store.put(`${PREFIX}a/1`, objectBytes('1'));
    await store.put('default/others/1', objectBytes('other'));
    await cache.start();
    expect(cache.revision).toBe(3);
    expect(decodeUtf8(cache.get(`${PREFIX}a/1`)!.bytes)).toContain('"resourceVersion":"2"');
    expect(cache.get('default/others/1')).toBeUndefined();
    await store.put(`${PREFIX}a/1`, objectBytes('1', { x: 'y' }));
    expect(cache.get(`${PREFIX}a/1`)).toMatchObject({ revision: 4, facts: { labels: { x: 'y' } } });
    await store.delete(`${PREFIX}a/1`);
    expect(cache.get(`${PREFIX}a/1`)).toBeUndefined();
    await cache.stop();
  });

  it('spans several prefixes with one storage watch', async () => {
    const { store, cache } = testCache({ prefixes: ['one/things/', 'two/things/'] });
    await store.put('two/things/b', objectBytes('b'));
    await cache.start();
    await store.put('one/things/a', objectBytes('a'));
    expect(store.watchesMade).toBe(1);
    expect(names(cache.list({ prefix: '' }) as CacheList)).toEqual(['a', 'b']);
    expect(names(cache.list({ prefix: 'two/things/' }) as CacheList)).toEqual(['b']);
    await cache.stop();
  });

  it('refuses reads before it has started and after it has stopped, and invalid ranges', async () => {
    const { cache } = testCache();
    expect(() => cache.get('x')).toThrow(expect.objectContaining({ code: 'Unavailable' }));
    await cache.start();
    expect(() => cache.list({ prefix: 'default/thi' })).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
    expect(() => cache.watch({ ...all, range: { prefix: 'x' } }, new RecordingSink())).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    );
    await cache.stop();
    expect(() => cache.snapshot()).toThrow(expect.objectContaining({ code: 'Closed' }));
    await expect(cache.start()).rejects.toMatchObject({ code: 'Closed' });
  });

  it('repeats a list with the same items at the present revision until one of them changes', async () => {
    const { store, cache } = testCache();
    for (const name of ['a', 'b', 'c']) await store.put(PREFIX + name, objectBytes(name));
    await cache.start();
    const list = (): CacheList => cache.list({ prefix: PREFIX }, { limit: 2 }) as CacheList;
    const first = list();
    await store.put('default/others/1', objectBytes('other'));
    await cache.waitFresh();
    const second = list();
    expect(second.items).toBe(first.items);
    expect(second.revision).toBe(cache.revision);
    expect(cache.snapshotAt(second.revision).outcome).toBe('ok');
    await store.put(`${PREFIX}d`, objectBytes('d'));
    const third = list();
    expect([names(third), third.remaining]).toEqual([['a', 'b'], 2]);
    await store.delete(`${PREFIX}a`);
    expect(names(list())).toEqual(['b', 'c']);
    await store.put(`${PREFIX}b`, objectBytes('b', { x: 'y' }));
    expect(decodeUtf8(list().items[0]!)).toContain('"x":"y"');
    await cache.stop();
  });

  it('does not keep the former bytes of entries that were moved into slabs', async () => {
    const { store, cache } = testCache();
    await cache.start();
    for (let i = 0; i < 1200; i++) await store.put(`${PREFIX}${i}`, objectBytes(String(i)));
    const before = cache.list({ prefix: PREFIX }) as CacheList;
    await store.clock.advance(10_000);
    const after = cache.list({ prefix: PREFIX }) as CacheList;
    expect(after.items).not.toBe(before.items);
    expect(names(after)).toEqual(names(before));
    expect(after.items[0]).toBe(cache.get(`${PREFIX}0`)?.bytes);
    await cache.stop();
  });

  it('lists pages of one state while others write, with exact counts of the rest', async () => {
    const { store, cache } = testCache();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await store.put(PREFIX + name, objectBytes(name));
    await cache.start();
    const first = cache.list({ prefix: PREFIX }, { limit: 2 }) as CacheList;
    expect([names(first), first.next, first.remaining]).toEqual([['a', 'b'], `${PREFIX}c`, 3]);
    await store.put(`${PREFIX}c`, objectBytes('c', {}, 'changed'));
    await store.delete(`${PREFIX}d`);
    const at = cache.snapshotAt(first.revision);
    if (at.outcome !== 'ok') throw new Error(at.outcome);
    const second = at.snapshot.list({ prefix: PREFIX }, { limit: 2, start: first.next! }) as CacheList;
    expect([names(second), second.next, second.remaining]).toEqual([['c', 'd'], `${PREFIX}e`, 1]);
    expect(decodeUtf8(second.items[0]!)).not.toContain('changed');
    const last = at.snapshot.list({ prefix: PREFIX }, { limit: 2, start: second.next! }) as CacheList;
    expect([names(last), last.next, last.remaining]).toEqual([['e'], undefined, 0]);
    expect(at.snapshot.count({ prefix: PREFIX })).toBe(5);
    expect(cache.snapshot().count({ prefix: PREFIX })).toBe(4);
    await cache.stop();
  });

  it('lists by filter, with a continue key that matches', async () => {
    const { store, cache } = testCache();
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await store.put(PREFIX + name, objectBytes(name, { odd: 'ace'.includes(name) ? 'yes' : 'no' }));
    await cache.start();
    const filter = labelFilter('odd', 'yes');
    const page = cache.list({ prefix: PREFIX }, { filter, limit: 2 }) as CacheList;
    expect([names(page), page.next, page.remaining]).toEqual([['a', 'c'], `${PREFIX}e`, undefined]);
    const rest = cache.list({ prefix: PREFIX }, { filter, limit: 2, start: page.next! }) as CacheList;
    expect([names(rest), rest.next, rest.remaining]).toEqual([['e'], undefined, 0]);
    expect(names(cache.list({ key: `${PREFIX}c` }, { filter }) as CacheList)).toEqual(['c']);
    expect(names(cache.list({ key: `${PREFIX}b` }, { filter }) as CacheList)).toEqual([]);
    await cache.stop();
  });

  it('reads every revision of its window exactly, and answers compacted or future for others', async () => {
    const { store, cache } = testCache({ window: { events: 4, bytes: 1e6 } });
    await cache.start();
    for (let i = 0; i < 8; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, `v${i}`)); // revisions 2 to 9
    await store.delete(`${PREFIX}a`);
    for (const revision of [6, 7, 8, 9]) {
      const at = cache.snapshotAt(revision);
      expect(at.outcome === 'ok' && decodeUtf8(at.snapshot.get(`${PREFIX}a`)!.bytes)).toContain(`"v${revision - 2}"`);
    }
    expect(cache.snapshotAt(10)).toMatchObject({ outcome: 'ok', snapshot: { revision: 10 } });
    expect(cache.snapshotAt(5)).toEqual({ outcome: 'compacted', horizon: 6 });
    expect(cache.snapshotAt(11)).toEqual({ outcome: 'future', current: 10 });
    await store.inner.compact(8);
    expect(cache.snapshotAt(7)).toEqual({ outcome: 'compacted', horizon: 8 });
    await cache.stop();
  });

  it('keeps the state of a list that has more pages, also when the window has moved on', async () => {
    const { store, cache } = testCache({ window: { events: 2, bytes: 1e6 } });
    for (const name of ['a', 'b', 'c']) await store.put(PREFIX + name, objectBytes(name));
    await cache.start();
    const first = cache.list({ prefix: PREFIX }, { limit: 1 }) as CacheList;
    for (let i = 0; i < 5; i++) await store.put(`${PREFIX}b`, objectBytes('b', {}, String(i)));
    expect(cache.snapshotAt(first.revision)).toMatchObject({ outcome: 'ok', snapshot: { revision: first.revision } });
    // A snapshot that is not used between two ticks is dropped. The first tick keeps it.
    await store.clock.advance(60_000);
    expect(cache.snapshotAt(first.revision).outcome).toBe('ok');
    await store.clock.advance(120_000);
    expect(cache.snapshotAt(first.revision).outcome).toBe('compacted');
    await cache.stop();
  });

  it('loads any number of objects', async () => {
    const { store, cache } = testCache();
    for (let from = 0; from < 2100; from += 100) {
      const writes = Array.from({ length: 100 }, (_, i) => ({
        type: 'put' as const,
        key: `${PREFIX}${from + i}`,
        value: objectBytes(String(from + i)),
      }));
      await store.inner.transact({ checks: [], writes });
    }
    await store.inner.compact(await store.inner.revision());
    await cache.start();
    expect(cache.snapshot().count({ prefix: PREFIX })).toBe(2100);
    await cache.stop();
  });

  it('fails reads that touch a broken entry, by its key, until it is deleted', async () => {
    const { store, cache, turns } = testCache();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}b`, encodeUtf8('{"no":"metadata"}'));
    await cache.start();
    const corrupt = expect.objectContaining({ code: 'Corrupt', key: `${PREFIX}b` });
    expect(() => cache.get(`${PREFIX}b`)).toThrow(corrupt);
    expect(() => cache.list({ prefix: PREFIX })).toThrow(corrupt);
    expect(() => cache.list({ prefix: PREFIX }, { filter: labelFilter('x', 'y') })).toThrow(corrupt);
    expect(names(cache.list({ prefix: PREFIX }, { limit: 1 }) as CacheList)).toEqual(['a']);
    expect(cache.stats().brokenNow).toBe(1);
    const sink = new RecordingSink();
    cache.watch({ ...all, from: 'state' }, sink);
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED a@2']);
    expect(sink.ended).toMatchObject({ reason: 'failed', error: { code: 'Corrupt' } });
    await store.delete(`${PREFIX}b`);
    expect(names(cache.list({ prefix: PREFIX }) as CacheList)).toEqual(['a']);
    expect(cache.stats().brokenNow).toBe(0);
    await cache.stop();
  });
});

describe('freshness', () => {
  it('answers synchronously when it is as fresh as the store', async () => {
    const { store, cache } = testCache();
    await cache.start();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    expect(cache.waitFresh()).toEqual({ outcome: 'ok', revision: 2 });
    expect(store.clock.pendingTimers).toBe(1); // bookmarks
    await cache.stop();
    expect(store.clock.pendingTimers).toBe(0);
  });

  it('waits for writes elsewhere by asking for progress, and for its own until they arrive', async () => {
    const { store, cache } = testCache();
    await cache.start();
    await store.put('default/others/1', objectBytes('1'));
    expect(cache.revision).toBe(1);
    expect(await cache.waitFresh()).toEqual({ outcome: 'ok', revision: 2 });
    store.hold();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    let result: FreshResult | undefined;
    const waiting = Promise.resolve(cache.waitFresh()).then((fresh) => {
      result = fresh;
    });
    await settle();
    expect(result).toBeUndefined();
    store.release();
    await waiting;
    expect(result).toEqual({ outcome: 'ok', revision: 3 });
    expect(cache.get(`${PREFIX}a`)).toBeDefined();
    await cache.stop();
  });

  it('answers each waiting read at the revision that it waits for', async () => {
    const { store, cache } = testCache();
    await cache.start();
    const woken: number[] = [];
    for (const revision of [4, 2, 3]) {
      void Promise.resolve(cache.waitFor(revision)).then((result) => {
        if (result.outcome === 'ok') woken.push(revision);
      });
    }
    for (const expected of [[2], [2, 3], [2, 3, 4]]) {
      await store.put(`${PREFIX}a`, objectBytes('a', {}, String(expected.length)));
      await settle();
      expect(woken).toEqual(expected);
    }
    await cache.stop();
  });

  it('stops waiting after three seconds, or when the signal aborts', async () => {
    const { store, cache } = testCache();
    await cache.start();
    const results: unknown[] = [];
    void Promise.resolve(cache.waitFor(9)).then((result) => results.push(result));
    void Promise.resolve(cache.waitFor(9, { timeoutMs: 50 })).then((result) => results.push(result));
    const abort = new AbortController();
    void Promise.resolve(cache.waitFor(9, { signal: abort.signal })).catch((error: unknown) => results.push(error));
    await store.clock.advance(49);
    expect(results).toEqual([]);
    await store.clock.advance(1);
    expect(results).toEqual([{ outcome: 'future', current: 1 }]);
    const reason = new Error('enough');
    abort.abort(reason);
    await store.clock.advance(2949);
    expect(results.slice(1)).toEqual([reason]);
    await store.clock.advance(1);
    expect(results.slice(2)).toEqual([{ outcome: 'future', current: 1 }]);
    expect(store.clock.pendingTimers).toBe(1);
    await cache.stop();
  });

  it('rejects waiting reads when it is stopped', async () => {
    const { store, cache } = testCache();
    await cache.start();
    const waiting = cache.waitFor(9);
    await cache.stop();
    await expect(waiting).rejects.toMatchObject({ code: 'Closed' });
    expect(store.clock.pendingTimers).toBe(0);
  });
});

describe('the life of the watch cache', () => {
  it('fills its window from the store, so that a watch resumes across a restart', async () => {
    const { store, cache, turns } = testCache();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await store.put(`${PREFIX}a`, objectBytes('a', {}, 'x'));
    await cache.start();
    const sink = new RecordingSink();
    expect(cache.watch({ ...all, from: { after: 2 } }, sink).outcome).toBe('ok');
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED b@3', 'MODIFIED a@4']);
    await cache.stop();
  });

  it('starts from the current state if the store has no older one, and is compacted before it', async () => {
    const { store, cache } = testCache();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await store.inner.compact(3);
    await cache.start();
    expect(cache.watch({ ...all, from: { after: 2 } }, new RecordingSink())).toEqual({
      outcome: 'compacted',
      horizon: 3,
    });
    expect(cache.watch({ ...all, from: { after: 3 } }, new RecordingSink()).outcome).toBe('ok');
    await cache.stop();
  });

  it('goes back no further than its window holds', async () => {
    const { store, cache } = testCache({ window: { events: 2, bytes: 1e6 } });
    for (let i = 0; i < 6; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
    await cache.start();
    expect(cache.stats().windowEventsNow).toBe(2);
    expect(cache.watch({ ...all, from: { after: 5 } }, new RecordingSink()).outcome).toBe('ok');
    expect(cache.watch({ ...all, from: { after: 4 } }, new RecordingSink()).outcome).toBe('compacted');
    await cache.stop();
  });

  it('continues where it was when the storage watch fails, and its watchers do not notice', async () => {
    const trouble: Error[] = [];
    const { store, cache, turns } = testCache({ onTrouble: (error) => trouble.push(error) });
    await cache.start();
    const sink = new RecordingSink();
    cache.watch(all, sink);
    await store.put(`${PREFIX}a`, objectBytes('a'));
    store.break({ reason: 'failed', error: new StorageError('Unavailable', 'gone') });
    await store.put(`${PREFIX}b`, objectBytes('b'));
    expect(cache.get(`${PREFIX}b`)).toBeUndefined();
    await store.clock.advance(100);
    await settle();
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED a@2', 'ADDED b@3']);
    expect(trouble).toHaveLength(1);
    expect(cache.stats().restarts).toBe(0);
    await cache.stop();
    expect(store.watches.size).toBe(0);
  });

  it('reloads its state when history is compacted: watches end, lists are still answered', async () => {
    const { store, cache, turns } = testCache();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await cache.start();
    const sink = new RecordingSink();
    cache.watch(all, sink);
    store.break({ reason: 'compacted', horizon: 7 });
    expect(sink.ended).toEqual({ reason: 'compacted', horizon: 7 });
    const meanwhile = new RecordingSink();
    cache.watch(all, meanwhile);
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await store.delete(`${PREFIX}a`);
    expect(names(cache.list({ prefix: PREFIX }) as CacheList)).toEqual(['a']);
    const fresh = cache.waitFresh();
    await store.clock.advance(100);
    expect(await fresh).toEqual({ outcome: 'ok', revision: 4 });
    expect(names(cache.list({ prefix: PREFIX }) as CacheList)).toEqual(['b']);
    expect(meanwhile.ended).toMatchObject({ reason: 'compacted' });
    turns.runAll();
    expect(meanwhile.brief).toEqual([]);
    expect(cache.stats().restarts).toBe(1);
    await cache.stop();
  });

  it('retries with growing delays until the store can be read', async () => {
    const trouble: Error[] = [];
    const { store, cache } = testCache({ onTrouble: (error) => trouble.push(error) });
    store.failWith = new StorageError('Unavailable', 'not yet');
    const started = cache.start();
    await store.clock.advance(60_000);
    expect(trouble.length).toBeGreaterThan(10);
    expect(trouble.length).toBeLessThan(25);
    store.failWith = undefined;
    await store.clock.advance(5000);
    await started;
    expect(cache.revision).toBe(1);
    await cache.stop();
    expect(store.clock.pendingTimers).toBe(0);
  });

  it('stops when its store is stopped', async () => {
    const { store, cache } = testCache();
    await cache.start();
    const sink = new RecordingSink();
    cache.watch(all, sink);
    const waiting = cache.waitFor(9);
    await store.inner.stop();
    expect(sink.ended).toEqual({ reason: 'closed' });
    await expect(waiting).rejects.toMatchObject({ code: 'Closed' });
    expect(() => cache.get('x')).toThrow(expect.objectContaining({ code: 'Closed' }));
    expect(store.clock.pendingTimers).toBe(0);
  });

  it('leaves no timer, no storage watch and no watcher behind, whenever it is stopped', async () => {
    const { store, cache, turns } = testCache();
    const starting = cache.start();
    await cache.stop();
    await expect(starting).rejects.toMatchObject({ code: 'Closed' });
    await settle();
    expect([store.clock.pendingTimers, store.watches.size]).toEqual([0, 0]);

    const second = testCache();
    await second.cache.start();
    const sink = new RecordingSink();
    second.cache.watch(all, sink);
    await second.store.put(`${PREFIX}a`, objectBytes('a'));
    await second.cache.stop();
    // Events that were already published are sent before the end.
    expect(sink.chunks).toHaveLength(1);
    await second.cache.stop();
    second.turns.runAll();
    turns.runAll();
    expect(sink.chunks).toHaveLength(1);
    expect(sink.ended).toEqual({ reason: 'closed' });
    expect([second.store.clock.pendingTimers, second.store.watches.size]).toEqual([0, 0]);
    expect(second.cache.stats()).toMatchObject({ watchersNow: 0, groupsNow: 0, formBytesNow: 0 });
  });
});
