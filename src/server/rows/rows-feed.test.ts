import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import { Recorder, seenAt } from '../../storage/suite/context.ts';
import { FakeRows } from './fake-rows.fixtures.ts';
import { CODEC, contents, failing, failure, open, row } from './rows-storage.fixtures.ts';
import { createRowsStorage } from './rows-storage.ts';

describe('rows that are polled', () => {
  it('shows the changes of other writers once per interval, as events', async () => {
    const { storage, rows, clock } = open('polled', (made) => {
      made.write(row('a', '1'));
      made.write(row('b', '1'));
    });
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    rows.write(row('a', '2'));
    rows.erase({ namespace: '', name: 'b' });
    rows.write(row('c', '1'));
    await clock.advance(999);
    expect(recorder.seen).toEqual([]);
    await clock.advance(1);
    expect(recorder.seen.map(({ type, key }) => `${type} ${key}`)).toEqual(['put a', 'put c', 'delete b']);
    expect(rows.calls.filter((call) => call === 'list').length).toBe(2);
    await storage.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('never undoes a write that was made while the rows were listed', async () => {
    const { storage, rows, clock } = open('polled', (made) => made.write(row('gone', '1')));
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    const held = new Deferred<void>();
    const list = rows.list.bind(rows);
    rows.list = async () => {
      const before = await list();
      await held.promise;
      return before;
    };
    await clock.advance(1000);
    await storage.create('new', encodeUtf8('1'));
    await storage.delete('gone');
    held.resolve();
    await settle();
    expect(await contents(storage)).toEqual({ new: '1' });
    expect(recorder.seen.map(({ type, key }) => `${type} ${key}`)).toEqual(['put new', 'delete gone']);
    await storage.stop();
  });

  it('goes on after failures, with backoff, and serves the last state meanwhile', async () => {
    const { storage, rows, clock, troubles } = open('polled', (made) => made.write(row('a', '1')));
    await storage.revision();
    rows.before = failing('list', 'too many connections');
    rows.write(row('a', '2'));
    await clock.advance(1000 + 100 + 200 + 400);
    expect(troubles).toEqual(Array(4).fill('too many connections'));
    expect(await contents(storage)).toEqual({ a: '1' });
    rows.before = () => {};
    await clock.advance(800);
    expect(await contents(storage)).toEqual({ a: '2' });
    await storage.stop();
  });

  it('is not polled with an infinite interval', async () => {
    const clock = new VirtualClock();
    const rows = Object.assign(new FakeRows('polled'), { pollIntervalMs: Number.POSITIVE_INFINITY });
    const storage = createRowsStorage({ rows, codec: CODEC, clock, onTrouble: () => {} });
    await storage.revision();
    await clock.advance(3_600_000);
    expect(rows.calls).toEqual(['list']);
    await storage.stop();
  });
});

describe('rows that cannot be listed at the start', () => {
  it('fails requests at once, and serves them when a later attempt succeeds', async () => {
    const { storage, rows, clock, troubles } = open('polled', (made) => made.write(row('a', '1')));
    rows.before = failing('list', 'connection refused');
    const message = 'the rows cannot be listed: connection refused';
    expect(await failure(Promise.resolve(storage.revision()))).toMatchObject({ code: 'Unavailable', message });
    expect(await failure(Promise.resolve(storage.get('a')))).toMatchObject({ code: 'Unavailable', message });
    expect(await failure(storage.create('b', encodeUtf8('1')))).toMatchObject({ code: 'Unavailable', message });
    const recorder = Recorder.start(storage, '', 'state');
    expect(await recorder.untilEnd()).toMatchObject({ reason: 'failed' });
    expect(troubles.length).toBe(1);
    rows.before = () => {};
    await clock.advance(100);
    expect(await contents(storage)).toEqual({ a: '1' });
    await storage.stop();
  });

  it('begins a watch that was asked for before, once they are listed', async () => {
    const { storage } = open('polled', (made) => made.write(row('a', '1')));
    const recorder = Recorder.start(storage, '', 'state');
    await recorder.until(({ seen }) => seen.length === 1);
    const stopped = Recorder.start(storage, '', 'state');
    stopped.watch.stop();
    expect(stopped.ended).toEqual({ reason: 'stopped' });
    await storage.stop();
    expect(await recorder.untilEnd()).toEqual({ reason: 'closed' });
  });

  it('stops while an attempt hangs', async () => {
    const { storage, rows, clock } = open('changes');
    rows.before = (operation) => (operation === 'changes' ? new Promise(() => {}) : undefined);
    const waiting = failure(Promise.resolve(storage.revision()));
    await settle();
    await storage.stop();
    expect(await waiting).toMatchObject({ code: 'Closed' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('opens a stream again that does not name its position', async () => {
    const { storage, rows, clock, troubles } = open('changes', (made) => made.write(row('a', '1')));
    rows.before = (operation) => (operation === 'changes' ? new Promise(() => {}) : undefined);
    const waiting = failure(Promise.resolve(storage.revision()));
    await clock.advance(30_000);
    expect((await waiting).message).toContain("did not begin with a 'position' element");
    rows.before = () => {};
    await clock.advance(100);
    expect(await contents(storage)).toEqual({ a: '1' });
    expect(troubles.length).toBe(1);
    await storage.stop();
  });
});

describe('rows with a stream of changes', () => {
  it.each(['changes', 'sequenced'] as const)('shows the changes of other writers as they come (%s)', async (mode) => {
    const { storage, rows } = open(mode, (made) => made.write(row('a', '1')));
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    rows.write(row('a', '2'));
    await settle();
    rows.write(row('b', '1'));
    rows.erase({ namespace: '', name: 'a' });
    await settle();
    expect(recorder.seen.map(({ type, key }) => `${type} ${key}`)).toEqual(['put a', 'put b', 'delete a']);
    await storage.stop();
  });

  it.each(['changes', 'sequenced'] as const)('reports own writes once (%s)', async (mode) => {
    const { storage } = open(mode);
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    const { revision } = await storage.create('a', encodeUtf8('1'));
    const replaced = await storage.compareAndWrite('a', seenAt(revision), encodeUtf8('2'));
    await storage.delete('a', { expected: replaced.revision });
    await settle();
    expect(recorder.seen.map(({ type, key }) => `${type} ${key}`)).toEqual(['put a', 'put a', 'delete a']);
    await storage.stop();
  });

  it.each(['changes', 'sequenced'] as const)('resumes after its cursor when a stream breaks (%s)', async (mode) => {
    const { storage, rows, clock, troubles } = open(mode, (made) => made.write(row('a', '1')));
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    rows.before = failing('changes', 'connection refused');
    rows.breakStreams(new Error('connection lost'));
    await settle();
    rows.write(row('a', '2'));
    rows.write(row('b', '1'));
    await clock.advance(100 + 200);
    expect(recorder.seen).toEqual([]);
    rows.before = () => {};
    await clock.advance(400);
    expect(recorder.seen.map(({ type, key }) => `${type} ${key}`)).toEqual(['put a', 'put b']);
    expect(troubles).toEqual(['connection lost', 'connection refused', 'connection refused']);
    expect(rows.calls.filter((call) => call === 'list').length).toBe(1);
    await storage.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('lists again when its cursor is too old, and reports the differences', async () => {
    const { storage, rows, clock } = open('changes', (made) => made.write(row('a', '1')));
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    rows.before = failing('changes');
    rows.breakStreams(new Error('connection lost'));
    await settle();
    rows.erase({ namespace: '', name: 'a' });
    rows.write(row('b', '1'));
    rows.oldest = 4;
    rows.before = () => {};
    await clock.advance(100);
    expect(recorder.seen.map(({ type, key }) => `${type} ${key}`)).toEqual(['put b', 'delete a']);
    await storage.stop();
  });

  it('ends watches of sequenced rows when changes are lost', async () => {
    const { storage, rows, clock } = open('sequenced', (made) => made.write(row('a', '1')));
    const before = await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    rows.before = failing('changes');
    rows.breakStreams(new Error('connection lost'));
    await settle();
    rows.write(row('a', '2'));
    rows.oldest = 3;
    rows.before = () => {};
    await clock.advance(100);
    expect(await recorder.untilEnd()).toEqual({ reason: 'compacted', horizon: 3 });
    expect(await storage.get('a', { revision: before })).toMatchObject({ outcome: 'compacted' });
    expect(await storage.get('a')).toMatchObject({ item: { revision: 3 } });
    await storage.stop();
  });

  it('answers a write of sequenced rows only when all earlier changes are shown', async () => {
    const { storage, rows } = open('sequenced');
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    rows.before = (operation) => {
      if (operation === 'insert') rows.write(row('other', '1'));
    };
    expect(await storage.create('a', encodeUtf8('1'))).toMatchObject({ outcome: 'ok', revision: 3 });
    expect(recorder.seen.map(({ key, revision }) => `${key}@${revision}`)).toEqual(['other@2', 'a@3']);
    await storage.stop();
  });

  it('answers Unknown if the stream does not show a committed write in time', async () => {
    const { storage, rows, clock } = open('sequenced');
    await storage.revision();
    rows.before = failing('changes');
    rows.breakStreams(new Error('connection lost'));
    await settle();
    const writing = failure(storage.create('a', encodeUtf8('1')));
    await clock.advance(10_000);
    expect(await writing).toMatchObject({ code: 'Unknown' });
    rows.before = () => {};
    await clock.advance(5000);
    expect(await contents(storage)).toEqual({ a: '1' });
    await storage.stop();
  });

  it('lists sequenced rows at one revision, whatever is written meanwhile', async () => {
    const { storage, rows } = open('sequenced', (made) => {
      made.write(row('a', '1'));
      made.write(row('b', '1'));
    });
    const list = rows.list.bind(rows);
    rows.list = async () => {
      const [a] = await list();
      rows.write(row('a', '2'));
      rows.write(row('c', '1'));
      const [, b, c] = await list();
      return [a!, b!, c!];
    };
    const first = await storage.list({ prefix: '' });
    if (first.outcome !== 'ok') return expect.unreachable();
    expect(first.items.map(({ key, value, revision }) => `${key}=${decodeUtf8(value)}@${revision}`)).toEqual([
      'a=2@4',
      'b=1@3',
      'c=1@5',
    ]);
    await storage.stop();
  });
});
