import { describe, expect, it } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Storage } from '../../storage/storage.ts';
import { Recorder } from '../../storage/suite/context.ts';
import { type FakeMode, FakeRows, keyOf } from './fake-rows.fixtures.ts';
import type { RowCodec } from './row-codec.ts';
import { createRowsStorage } from './rows-storage.ts';

const CODEC: RowCodec = {
  keyOf: ({ name }) => name,
  rowOf: (key) => ({ namespace: '', name: key }),
  nameOf: keyOf,
  encode: ({ data }) => encodeUtf8(String(data)),
  decode: (value, key) => ({ metadata: { name: key }, data: decodeUtf8(value) }),
};

const row = (name: string, data: string): JsonObject => ({ metadata: { name }, data });

interface Opened {
  readonly storage: Storage;
  readonly rows: FakeRows;
  readonly clock: VirtualClock;
  readonly troubles: string[];
}

function open(mode: FakeMode, prepare: (rows: FakeRows) => void = () => {}): Opened {
  const rows = new FakeRows(mode);
  prepare(rows);
  const clock = new VirtualClock();
  const troubles: string[] = [];
  const onTrouble = (error: Error): void => void troubles.push(error.message);
  return { rows, clock, troubles, storage: createRowsStorage({ rows, codec: CODEC, clock, onTrouble }) };
}

async function contents(storage: Storage): Promise<Record<string, string>> {
  const result = await storage.list({ prefix: '' });
  if (result.outcome !== 'ok') throw new Error(result.outcome);
  return Object.fromEntries(result.items.map(({ key, value }) => [key, decodeUtf8(value)]));
}

const failing =
  (operation: string, message = 'connection reset') =>
  (each: string): void => {
    if (each === operation) throw new Error(message);
  };

async function failure(promise: Promise<unknown>): Promise<{ code?: string; message: string; cause?: Error }> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (caught) => caught as { code?: string; message: string; cause?: Error },
  );
}

describe('a storage over rows', () => {
  it.each(['polled', 'changes', 'sequenced'] as const)('shows the rows that exist at its start (%s)', async (mode) => {
    const { storage, rows, clock } = open(mode, (made) => {
      made.write(row('a', '1'));
      made.write(row('b', '2'));
    });
    expect(rows.calls).toEqual([]);
    expect(await contents(storage)).toEqual({ a: '1', b: '2' });
    await storage.stop();
    expect(rows.stops).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('begins a new epoch above all revisions of an earlier start', async () => {
    const clock = new VirtualClock();
    const rows = new FakeRows('polled');
    const start = (): Storage => createRowsStorage({ rows, codec: CODEC, clock, onTrouble: () => {} });
    const first = start();
    for (let i = 0; i < 500; i++) await first.create(`k${i}`, encodeUtf8('x'));
    const last = await first.revision();
    await first.stop();
    await clock.advance(1);
    const second = start();
    expect(await second.revision()).toBeGreaterThan(last);
    expect(await second.get('k0', { revision: last })).toMatchObject({ outcome: 'compacted' });
    const recorder = Recorder.start(second, '', { after: last });
    expect(await recorder.untilEnd()).toMatchObject({ reason: 'compacted' });
    await second.stop();
  });

  it('has the versions of sequenced rows as revisions, at every start', async () => {
    const { storage, rows } = open('sequenced');
    const created = await storage.create('a', encodeUtf8('1'));
    expect(created).toMatchObject({ outcome: 'ok', revision: 2 });
    rows.write(row('b', '2'));
    await settle();
    expect(await storage.get('b')).toMatchObject({ item: { revision: 3 } });
    const clock = new VirtualClock();
    const other = createRowsStorage({ rows, codec: CODEC, clock, onTrouble: () => {} });
    expect(await other.get('a')).toMatchObject({ revision: 3, item: { revision: 2 } });
    await other.stop();
    await storage.stop();
  });

  it('writes the rows before its mirror shows anything', async () => {
    const { storage, rows } = open('polled');
    await storage.revision();
    const recorder = Recorder.start(storage, '', 'now');
    const held = new Deferred<void>();
    rows.after = () => held.promise;
    const writing = storage.create('a', encodeUtf8('1'));
    await settle();
    expect(await contents(storage)).toEqual({});
    expect(recorder.seen).toEqual([]);
    held.resolve();
    expect(await writing).toMatchObject({ outcome: 'ok', changed: true });
    expect(await contents(storage)).toEqual({ a: '1' });
    expect(recorder.seen.length).toBe(1);
    await storage.stop();
  });

  it('answers conflicts with the state of the row, and shows it from then on', async () => {
    const { storage, rows } = open('polled', (made) => made.write(row('a', '1')));
    const before = await storage.get('a');
    if (before.outcome !== 'found') return expect.unreachable();
    rows.write(row('a', 'by another'));
    const result = await storage.compareAndWrite('a', before.item.revision, encodeUtf8('2'));
    if (result.outcome !== 'conflict') return expect.unreachable();
    expect(decodeUtf8(result.current!.value)).toBe('by another');
    expect(await contents(storage)).toEqual({ a: 'by another' });
    rows.write(row('b', 'by another'));
    expect(await storage.create('b', encodeUtf8('2'))).toMatchObject({ outcome: 'conflict', current: { key: 'b' } });
    rows.erase({ namespace: '', name: 'a' });
    const gone = await storage.compareAndWrite('a', result.current!.revision, encodeUtf8('2'));
    expect(gone).toMatchObject({ outcome: 'conflict', current: undefined });
    expect(await contents(storage)).toEqual({ b: 'by another' });
    await storage.stop();
  });

  it.each(['polled', 'changes', 'sequenced'] as const)('reads the row itself for a get of a key (%s)', async (mode) => {
    const { storage, rows } = open(mode);
    await storage.revision();
    rows.write(row('a', 'by another'));
    expect(await storage.get('a')).toMatchObject({ outcome: 'found' });
    rows.erase({ namespace: '', name: 'a' });
    expect(await storage.get('a')).toMatchObject({ outcome: 'missing' });
    rows.before = failing('get');
    expect(await failure(Promise.resolve(storage.get('a')))).toMatchObject({ code: 'Unavailable' });
    await storage.stop();
  });

  it('does not write a value that the row already has', async () => {
    const { storage, rows } = open('polled');
    const created = await storage.create('a', encodeUtf8('1'));
    expect(await storage.compareAndWrite('a', created.revision, encodeUtf8('1'))).toMatchObject({ changed: false });
    expect(rows.calls.filter((call) => call === 'replace')).toEqual([]);
    await storage.stop();
  });

  it('cannot write rows that can only be read', async () => {
    const clock = new VirtualClock();
    const { list, get } = new FakeRows('polled');
    const fake = new FakeRows('polled');
    const rows = { list: list.bind(fake), get: get.bind(fake), pollIntervalMs: 1000 };
    const storage = createRowsStorage({ rows, codec: CODEC, clock, onTrouble: () => {} });
    expect(await failure(storage.create('a', encodeUtf8('1')))).toMatchObject({ code: 'ReadOnly' });
    await storage.stop();
  });
});

describe('writes of unknown outcome', () => {
  it.each(['polled', 'changes', 'sequenced'] as const)(
    'succeed if the row shows the write although it threw (%s)',
    async (mode) => {
      const { storage, rows } = open(mode);
      rows.after = failing('insert');
      const created = await storage.create('a', encodeUtf8('1'));
      expect(created).toMatchObject({ outcome: 'ok', changed: true });
      rows.after = failing('replace');
      const replaced = await storage.compareAndWrite('a', created.revision, encodeUtf8('2'));
      expect(replaced).toMatchObject({ outcome: 'ok', changed: true });
      expect(await contents(storage)).toEqual({ a: '2' });
      rows.after = failing('remove');
      expect(await storage.delete('a', { expected: replaced.revision })).toMatchObject({ outcome: 'ok' });
      expect(await contents(storage)).toEqual({});
      await storage.stop();
    },
  );

  it.each(['polled', 'sequenced'] as const)('fail if the row does not show them (%s)', async (mode) => {
    const { storage, rows } = open(mode, (made) => made.write(row('a', '1')));
    await storage.revision();
    rows.before = failing('insert');
    const error = await failure(storage.create('b', encodeUtf8('1')));
    expect(error).toMatchObject({ code: 'Unknown', message: 'the row could not be written: connection reset' });
    expect(error.cause?.message).toBe('connection reset');
    rows.before = failing('remove');
    expect(await failure(storage.delete('a'))).toMatchObject({ code: 'Unknown' });
    expect(await contents(storage)).toEqual({ a: '1' });
    await storage.stop();
  });

  it('fail if the row cannot be read either, and the next poll shows what happened', async () => {
    const { storage, rows, clock } = open('polled');
    await storage.revision();
    rows.before = failing('get', 'no connection');
    rows.after = failing('insert');
    expect(await failure(storage.create('a', encodeUtf8('1')))).toMatchObject({ code: 'Unknown' });
    expect(await contents(storage)).toEqual({});
    rows.before = () => {};
    await clock.advance(1000);
    expect(await contents(storage)).toEqual({ a: '1' });
    await storage.stop();
  });

  it('fail if another writer came after them', async () => {
    const { storage, rows } = open('polled', (made) => made.write(row('a', '1')));
    const before = await storage.get('a');
    if (before.outcome !== 'found') return expect.unreachable();
    rows.after = (operation) => {
      rows.write(row('a', 'by another'));
      failing('replace')(operation);
    };
    const late = storage.compareAndWrite('a', before.item.revision, encodeUtf8('2'));
    expect(await failure(late)).toMatchObject({ code: 'Unknown' });
    await storage.stop();
  });

  it('pass a StatusError of the rows to the client', async () => {
    const { storage, rows } = open('polled');
    rows.before = (operation) => {
      if (operation === 'insert')
        throw new StatusError(forbidden({ group: 'g', resource: 'things' }, 'a', 'the account is frozen'));
    };
    const error = await failure(storage.create('a', encodeUtf8('1')));
    expect(error.message).toContain('the account is frozen');
    expect(rows.calls).not.toContain('get');
    await storage.stop();
  });

  it('report rows that refuse the version that they show', async () => {
    const { storage, rows } = open('polled', (made) => made.write(row('a', '1')));
    const before = await storage.get('a');
    if (before.outcome !== 'found') return expect.unreachable();
    rows.replace = async () => 'conflict';
    const error = await failure(storage.compareAndWrite('a', before.item.revision, encodeUtf8('2')));
    expect(error.message).toBe("the rows answered 'conflict' but show the expected version");
    await storage.stop();
  });
});

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
    const replaced = await storage.compareAndWrite('a', revision, encodeUtf8('2'));
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
