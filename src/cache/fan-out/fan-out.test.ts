import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { begin, labelFilter, objectBytes, PREFIX, RecordingSink, started, testEncoding } from '../cache.fixtures.ts';
import type { EventSink } from '../cache.ts';

describe('fan-out', () => {
  it('encodes an event once for all watchers of one form and writes the same buffer to each', async () => {
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

  it('writes once per turn, in batches of at most 64 chunks', async () => {
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

  it('ends a watcher whose queue is full as too slow, and delays no other watcher', async () => {
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

  it('bounds a queue by its bytes, too', async () => {
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

  it('ends no watcher for a single burst, however large', async () => {
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

  it('ends watches with an error when they meet a value that cannot be served, after all earlier events', async () => {
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

  it('ends the watches whose encoding throws', async () => {
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
});
