import { describe, expect, it } from 'vitest';
import { settle } from '../../base/virtual-clock.ts';
import { begin, labelFilter, objectBytes, PREFIX, RecordingSink, started } from '../cache.fixtures.ts';

describe('a watch', () => {
  it('delivers additions, modifications, and deletions with the last object at the final revision', async () => {
    const { store, cache, turns } = await started();
    const sink = new RecordingSink();
    begin(cache, {}, sink);
    await store.put(`${PREFIX}a`, objectBytes('a', {}, '1'));
    await store.put(`${PREFIX}a`, objectBytes('a', {}, '2'));
    await store.delete(`${PREFIX}a`);
    expect(sink.chunks).toEqual([]); // nothing before a turn
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED a@2', 'MODIFIED a@3', 'DELETED a@4']);
    expect(sink.events.map((event) => event.object.spec)).toEqual(['1', '2', '2']);
    await cache.stop();
  });

  it('delivers an object that enters the selection as added, and one that leaves it as deleted', async () => {
    const { store, cache, turns } = await started();
    const sink = new RecordingSink();
    begin(cache, { filter: labelFilter('in', 'yes') }, sink);
    const put = (value: string, spec: string): Promise<number> =>
      store.put(`${PREFIX}a`, objectBytes('a', { in: value }, spec));
    await put('no', '1');
    await put('yes', '2');
    await put('yes', '3');
    await put('no', '4');
    await put('no', '5');
    await put('yes', '6');
    await store.delete(`${PREFIX}a`);
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED a@3', 'MODIFIED a@4', 'DELETED a@5', 'ADDED a@7', 'DELETED a@8']);
    // An object that no longer matches is sent with its last matching state.
    expect(sink.events[2]!.object).toMatchObject({ spec: '3', metadata: { labels: { in: 'yes' } } });
    await cache.stop();
  });

  it('covers a prefix that ends with a slash, or exactly one key', async () => {
    const { store, cache, turns } = await started();
    const [prefix, key] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { range: { prefix: `${PREFIX}ns/` } }, prefix);
    begin(cache, { range: { key: `${PREFIX}ns/a` } }, key);
    for (const name of ['ns/a', 'ns/ab', 'ns2/a', 'nsa']) await store.put(PREFIX + name, objectBytes(name));
    turns.runAll();
    expect(prefix.brief).toEqual(['ADDED ns/a@2', 'ADDED ns/ab@3']);
    expect(key.brief).toEqual(['ADDED ns/a@2']);
    await cache.stop();
  });

  it('begins with the state, marks its end, and continues with every change', async () => {
    const { store, cache, turns } = await started();
    for (let i = 100; i < 300; i++) await store.put(`${PREFIX}${i}`, objectBytes(String(i)));
    const sink = new RecordingSink();
    begin(cache, { from: 'state', initialEventsEnd: true }, sink);
    await store.put(`${PREFIX}100`, objectBytes('100', {}, 'new'));
    turns.runAll();
    expect(sink.events.slice(0, 200).map((event) => [event.type, event.name])).toEqual(
      Array.from({ length: 200 }, (_, i) => ['ADDED', String(100 + i)]),
    );
    expect(sink.events[200]!.text).toBe('BOOKMARK {"revision":201,"initialEventsEnd":true}');
    expect(sink.brief.slice(201)).toEqual(['MODIFIED 100@202']);
    await cache.stop();
  });

  it('pulls a large state only as fast as the sink takes it, and then the changes since then', async () => {
    const { store, cache, turns } = await started();
    for (let i = 100; i < 300; i++) await store.put(`${PREFIX}${i}`, objectBytes(String(i)));
    const sink = new RecordingSink();
    sink.blocking = true;
    const watch = begin(cache, { from: 'state', initialEventsEnd: true }, sink);
    turns.runAll();
    expect(sink.chunks).toHaveLength(64);
    await store.delete(`${PREFIX}299`);
    sink.drain(watch);
    turns.runAll();
    expect(sink.chunks).toHaveLength(128);
    for (let i = 0; i < 5; i++) {
      sink.drain(watch);
      turns.runAll();
    }
    expect(sink.brief.slice(199)).toEqual(['ADDED 299@201', 'BOOKMARK @201', 'DELETED 299@202']);
    expect(sink.breaches).toEqual([]);
    await store.put(`${PREFIX}x`, objectBytes('x'));
    sink.drain(watch);
    turns.runAll();
    expect(sink.brief.at(-1)).toBe('ADDED x@203');
    await cache.stop();
  });

  it('may start above the revision of the cache', async () => {
    const { store, cache, turns } = await started({ bookmarkIntervalMs: 1000 });
    const sink = new RecordingSink();
    const watch = begin(cache, { from: { after: 3 }, bookmarks: true }, sink);
    turns.runAll();
    expect(watch.bookmark()).toBe(false);
    for (const name of ['a', 'b', 'c', 'd']) await store.put(PREFIX + name, objectBytes(name));
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED c@4', 'ADDED d@5']);
    await cache.stop();
  });

  it('delivers nothing after stop()', async () => {
    const { store, cache, turns } = await started();
    const sink = new RecordingSink();
    const watch = begin(cache, {}, sink);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    watch.stop();
    watch.stop();
    sink.drain(watch);
    turns.runAll();
    expect(sink.chunks).toEqual([]);
    expect(sink.ended).toEqual({ reason: 'stopped' });
    expect(cache.stats()).toMatchObject({ watchersNow: 0, groupsNow: 0, ended: { stopped: 1 } });
    await cache.stop();
  });
});

describe('bookmarks', () => {
  it('are sent about once a minute to the watches that want them, with the revision of the whole store', async () => {
    const { store, cache, turns } = await started();
    const [asked, not] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { bookmarks: true }, asked);
    begin(cache, {}, not);
    turns.runAll();
    await store.put('default/others/1', objectBytes('other'));
    await store.clock.advance(59_999);
    expect(asked.chunks).toEqual([]);
    await store.clock.advance(1);
    await settle();
    expect(asked.brief).toEqual(['BOOKMARK @2']);
    await store.clock.advance(60_000);
    await settle();
    expect(asked.brief).toEqual(['BOOKMARK @2', 'BOOKMARK @2']);
    expect(not.chunks).toEqual([]);
    await cache.stop();
  });

  it('are sent on demand, behind all earlier events', async () => {
    const { store, cache, turns } = await started();
    const sink = new RecordingSink();
    const watch = begin(cache, {}, sink);
    expect(watch.bookmark()).toBe(false); // not caught up yet
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    expect(watch.bookmark()).toBe(true);
    expect(sink.brief).toEqual(['ADDED a@2', 'BOOKMARK @2']);
    sink.blocking = true;
    expect(watch.bookmark()).toBe(true);
    expect(watch.bookmark()).toBe(false); // not drained
    sink.drain(watch);
    sink.blocking = false;
    expect(watch.bookmark()).toBe(true);
    await cache.stop();
  });
});
