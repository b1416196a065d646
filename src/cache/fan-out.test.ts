import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { settle } from '../base/virtual-clock.ts';
import {
  labelFilter,
  objectBytes,
  PREFIX,
  RecordingSink,
  type TestStore,
  type Turns,
  testCache,
  testEncoding,
} from './cache.fixtures.ts';
import type { CacheWatch, CacheWatchOptions, EventSink, MadeForm } from './cache.ts';
import { nextTurn } from './fan-out.ts';
import { FORM_BATCH } from './forms.ts';
import type { WatchCache, WatchCacheOptions } from './watch-cache.ts';

const all: CacheWatchOptions = { range: { prefix: PREFIX }, encoding: testEncoding, from: 'now' };

async function started(
  options: Partial<WatchCacheOptions> = {},
): Promise<{ store: TestStore; cache: WatchCache; turns: Turns }> {
  const made = testCache(options);
  await made.cache.start();
  return made;
}

function begin(cache: WatchCache, options: Partial<CacheWatchOptions>, sink: EventSink): CacheWatch {
  const start = cache.watch({ ...all, ...options }, sink);
  if (start.outcome !== 'ok') throw new Error(start.outcome);
  return start.watch;
}

describe('a watch', () => {
  it('delivers additions, modifications and deletions, the last object with the final revision', async () => {
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

  it('turns changes of the selection into additions and deletions', async () => {
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
    // What left the selection is shown as it last was inside.
    expect(sink.events[2]!.object).toMatchObject({ spec: '3', metadata: { labels: { in: 'yes' } } });
    await cache.stop();
  });

  it('covers a prefix at a segment boundary or exactly one key', async () => {
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

  it('begins with the state, marks its end, and goes on with every change', async () => {
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

  it('pulls a large state only as fast as the sink takes it, and then what happened meanwhile', async () => {
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

  it('starts in the future when asked to', async () => {
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

  it('does not see what its range does not cover, nor anything after stop()', async () => {
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
  it('come about once a minute to those who asked, with the revision of the whole store', async () => {
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

  it('come on demand, behind everything that happened before', async () => {
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

describe('fan-out', () => {
  it('encodes an event once for all watchers of one form, whatever their filters, and hands them the same buffer', async () => {
    const { store, cache, turns } = await started();
    const sinks = Array.from({ length: 6 }, () => new RecordingSink());
    sinks.forEach((sink, i) => {
      begin(cache, i < 3 ? {} : { filter: labelFilter('a', 'b') }, sink);
    });
    expect(cache.stats()).toMatchObject({ watchersNow: 6, groupsNow: 2 });
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a', { a: 'b' }));
    turns.runAll();
    for (const sink of sinks) expect(sink.chunks[0]).toBe(sinks[0]!.chunks[0]);
    expect(cache.stats()).toMatchObject({ events: 1, encodes: 1 });
    await cache.stop();
  });

  it('evaluates a filter once per event for a whole group', async () => {
    const { store, cache, turns } = await started();
    let evaluations = 0;
    const filter = {
      text: 'counting',
      matches: (): boolean => {
        evaluations++;
        return true;
      },
    };
    for (let i = 0; i < 10; i++) begin(cache, { filter }, new RecordingSink());
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll();
    expect(evaluations).toBe(1);
    await cache.stop();
  });

  it('writes once per turn, in groups of at most 64', async () => {
    const { store, cache, turns } = await started();
    const sink = new RecordingSink();
    begin(cache, {}, sink);
    turns.runAll();
    for (let i = 0; i < 100; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
    turns.runAll();
    expect(sink.chunks).toHaveLength(100);
    expect(sink.writes).toBe(2);
    await cache.stop();
  });

  it('ends a watcher whose queue is full as too slow, and nobody waits for it', async () => {
    const { store, cache, turns } = await started({ queue: { events: 3, bytes: 1e6 } });
    const [slow, quick] = [new RecordingSink(), new RecordingSink()];
    slow.blocking = true;
    begin(cache, {}, slow);
    begin(cache, {}, quick);
    turns.runAll();
    for (let i = 0; i < 4; i++) {
      await store.put(`${PREFIX}${i}`, objectBytes(String(i)));
      turns.runAll();
    }
    expect(slow.ended).toBeUndefined(); // one written, three wait
    await store.put(`${PREFIX}4`, objectBytes('4'));
    turns.runAll();
    expect(slow.ended).toEqual({ reason: 'too-slow' });
    expect(slow.brief).toEqual(['ADDED 0@2']);
    expect(quick.brief).toHaveLength(5);
    expect(cache.stats().ended['too-slow']).toBe(1);
    await cache.stop();
  });

  it('bounds a queue by its bytes too', async () => {
    const { store, cache, turns } = await started({ queue: { events: 1e6, bytes: 1000 } });
    const slow = new RecordingSink();
    slow.blocking = true;
    begin(cache, {}, slow);
    turns.runAll();
    for (let i = 0; i < 3; i++) {
      await store.put(`${PREFIX}a`, objectBytes('a', {}, `${i}${'x'.repeat(2000)}`));
      turns.runAll();
    }
    expect(slow.ended).toEqual({ reason: 'too-slow' });
    await cache.stop();
  });

  it('ends nobody for one burst, however large', async () => {
    const { store, cache, turns } = await started({ queue: { events: 3, bytes: 1e6 } });
    const sink = new RecordingSink();
    sink.blocking = true;
    const watch = begin(cache, {}, sink);
    turns.runAll();
    for (let i = 0; i < 200; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
    turns.runAll();
    expect(sink.chunks).toHaveLength(64);
    sink.blocking = false;
    sink.drain(watch);
    expect(sink.brief).toHaveLength(200);
    expect(sink.ended).toBeUndefined();
    await cache.stop();
  });

  it('ends a watcher that is still catching up when the window moves past it', async () => {
    const { store, cache, turns } = await started({ window: { events: 4, bytes: 1e6 } });
    for (let i = 0; i < 3; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
    const sink = new RecordingSink();
    begin(cache, { from: { after: 1 } }, sink);
    for (let i = 3; i < 9; i++) await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
    turns.runAll();
    expect(sink.ended).toEqual({ reason: 'too-slow' });
    await cache.stop();
  });

  it('lets a throwing sink end its own watch only', async () => {
    const { store, cache, turns } = await started();
    const sinks = Array.from({ length: 3 }, () => new RecordingSink());
    for (const sink of sinks) begin(cache, {}, sink);
    turns.runAll();
    const boom = new Error('boom');
    sinks[1]!.onWrite = () => {
      throw boom;
    };
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll();
    await store.put(`${PREFIX}b`, objectBytes('b'));
    turns.runAll();
    expect(sinks[1]!.ended).toEqual({ reason: 'failed', error: boom });
    expect([sinks[0]!.brief.length, sinks[1]!.brief.length, sinks[2]!.brief.length]).toEqual([2, 1, 2]);
    await cache.stop();
  });

  it('survives sinks that stop, drain and throw while they are called', async () => {
    const { store, cache, turns } = await started();
    const sinks = Array.from({ length: 4 }, () => new RecordingSink());
    const watches = sinks.map((sink) => begin(cache, {}, sink));
    turns.runAll();
    sinks[0]!.onWrite = () => watches[2]!.stop();
    sinks[1]!.blocking = true;
    sinks[1]!.onWrite = () => sinks[1]!.drain(watches[1]!); // before it asks for the pause
    const bad: EventSink = {
      write: () => true,
      end: () => {
        throw new Error('at the end');
      },
    };
    const worst = begin(cache, {}, bad);
    turns.runAll();
    for (const name of ['a', 'b', 'c']) {
      await store.put(PREFIX + name, objectBytes(name));
      turns.runAll();
    }
    worst.stop();
    expect(sinks[2]!.chunks).toEqual([]);
    expect(sinks[0]!.brief).toHaveLength(3);
    expect(sinks[1]!.brief).toHaveLength(3);
    expect(sinks[3]!.brief).toHaveLength(3);
    expect(sinks.flatMap((sink) => sink.breaches)).toEqual([]);
    expect(cache.stats()).toMatchObject({ sinkFailures: 1, watchersNow: 3 });
    await cache.stop();
  });

  it('ends watches with an error when a value that cannot be served appears, behind what came before', async () => {
    const { store, cache, turns } = await started();
    const [here, elsewhere] = [new RecordingSink(), new RecordingSink()];
    begin(cache, {}, here);
    begin(cache, { range: { key: `${PREFIX}z` } }, elsewhere);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}b`, encodeUtf8('nonsense'));
    const later = new RecordingSink();
    begin(cache, {}, later);
    turns.run();
    await store.put(`${PREFIX}c`, objectBytes('c'));
    await store.put(`${PREFIX}b`, objectBytes('b'));
    turns.runAll();
    expect(here.brief).toEqual(['ADDED a@2']);
    expect(here.ended).toMatchObject({ reason: 'failed', error: { code: 'Corrupt', key: `${PREFIX}b` } });
    expect(elsewhere.ended).toBeUndefined();
    expect(later.brief).toEqual(['ADDED c@4', 'ADDED b@5']);
    await cache.stop();
  });

  it('ends those for whom an encoding throws', async () => {
    const { store, cache, turns } = await started();
    const sink = new RecordingSink();
    const encoding = {
      ...testEncoding,
      key: 'throwing',
      event: (): Uint8Array => {
        throw new TypeError('no');
      },
    };
    begin(cache, { encoding }, sink);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll();
    expect(sink.ended).toMatchObject({ reason: 'failed', error: { message: 'no' } });
    await cache.stop();
  });

  it('flushes in the next turn of the event loop by default', async () => {
    const order: string[] = [];
    nextTurn(() => order.push('turn'));
    await Promise.resolve();
    order.push('microtask');
    await settle();
    expect(order).toEqual(['microtask', 'turn']);
  });
});

describe('watches in another form', () => {
  /** Makes forms when the test says so, in whatever order. */
  function controlledForms(): { make: WatchCacheOptions['forms'] & object; pending: (() => void)[] } {
    const pending: (() => void)[] = [];
    return {
      pending,
      make: {
        make: (form, entries) =>
          new Promise((resolve) => {
            const made = entries.map((entry): MadeForm => {
              const object = JSON.parse(decodeUtf8(entry.bytes)) as { kind: string };
              return { bytes: encodeUtf8(JSON.stringify({ ...object, kind: form })), facts: entry.facts };
            });
            pending.push(() => resolve(made));
          }),
      },
    };
  }

  it('keep their order while forms are being made, and share one making', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make });
    const [one, two, stored] = [new RecordingSink(), new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, one);
    begin(cache, { form: 'v2', filter: labelFilter('a', 'b') }, two);
    begin(cache, {}, stored);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a', { a: 'b' }));
    turns.runAll();
    expect(stored.brief).toEqual(['ADDED a@2']);
    expect(forms.pending).toHaveLength(1);
    await store.put(`${PREFIX}b`, objectBytes('b'));
    await store.delete(`${PREFIX}a`);
    for (let i = 0; i < 20; i++) {
      turns.runAll();
      forms.pending.pop()?.();
      await settle();
    }
    expect(one.brief).toEqual(['ADDED a@2', 'ADDED b@3', 'DELETED a@4']);
    expect(two.brief).toEqual(['ADDED a@2', 'DELETED a@4']);
    expect(one.events.every((event) => event.text.includes('"kind":"v2"'))).toBe(true);
    await cache.stop();
  });

  it('end with the error of a form that cannot be made, behind what came before', async () => {
    const { store, cache, turns } = await started({
      forms: {
        make: (_, entries) =>
          entries.map((entry) =>
            entry.key.endsWith('bad')
              ? { error: new Error('cannot convert') }
              : { bytes: entry.bytes, facts: entry.facts },
          ),
      },
    });
    const [sink, stored] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, sink);
    begin(cache, {}, stored);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    await store.put(`${PREFIX}bad`, objectBytes('bad'));
    await store.put(`${PREFIX}c`, objectBytes('c'));
    turns.runAll();
    expect(sink.brief).toEqual(['ADDED a@2']);
    expect(sink.ended).toMatchObject({ reason: 'failed', error: { message: 'cannot convert' } });
    expect(stored.brief).toHaveLength(3);
    await cache.stop();
  });

  it('that begin while others wait for forms see neither what came before nor less than what comes after', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make });
    const [first, second] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, first);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll(); // the group waits for a form now
    for (let i = 0; i < FORM_BATCH - 1; i++) await store.put(`${PREFIX}b`, objectBytes('b', {}, String(i)));
    // One revision that two batches of forms share.
    const writes = ['x', 'y'].map((name) => ({ type: 'put' as const, key: PREFIX + name, value: objectBytes(name) }));
    const { revision } = await store.inner.transact({ checks: [], writes });
    begin(cache, { form: 'v2' }, second);
    turns.runAll();
    await store.put(`${PREFIX}c`, objectBytes('c'));
    for (let i = 0; i < 10; i++) {
      for (const finish of forms.pending.splice(0)) finish();
      await settle();
      turns.runAll();
    }
    expect(first.brief).toHaveLength(FORM_BATCH + 3);
    expect(second.brief).toEqual([`ADDED c@${revision + 1}`]);
    await cache.stop();
  });

  it('that begin behind a change that fails others go on', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make });
    const [first, second] = [new RecordingSink(), new RecordingSink()];
    begin(cache, { form: 'v2' }, first);
    turns.runAll();
    await store.put(`${PREFIX}a`, objectBytes('a'));
    turns.runAll();
    await store.put(`${PREFIX}bad`, encodeUtf8('nonsense'));
    begin(cache, { form: 'v2' }, second);
    turns.runAll();
    await store.put(`${PREFIX}c`, objectBytes('c'));
    for (let i = 0; i < 10; i++) {
      for (const finish of forms.pending.splice(0)) finish();
      await settle();
      turns.runAll();
    }
    expect(first.brief).toEqual(['ADDED a@2']);
    expect(first.ended).toMatchObject({ reason: 'failed', error: { code: 'Corrupt' } });
    expect(second.brief).toEqual(['ADDED c@4']);
    expect(second.ended).toBeUndefined();
    await cache.stop();
  });

  it('end as too slow when more waits for forms than the window holds', async () => {
    const forms = controlledForms();
    const { store, cache, turns } = await started({ forms: forms.make, window: { events: 4, bytes: 1e6 } });
    const sink = new RecordingSink();
    begin(cache, { form: 'v2' }, sink);
    turns.runAll();
    for (let i = 0; i < 7; i++) {
      await store.put(`${PREFIX}a`, objectBytes('a', {}, String(i)));
      turns.runAll();
    }
    expect(sink.ended).toEqual({ reason: 'too-slow' });
    for (const resolve of forms.pending) resolve();
    await settle();
    turns.runAll();
    expect(sink.chunks).toEqual([]);
    await cache.stop();
  });
});
