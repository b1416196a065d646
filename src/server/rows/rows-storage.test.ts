import { describe, expect, it } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Storage } from '../../storage/storage.ts';
import { Recorder, seenAt } from '../../storage/suite/context.ts';
import { FakeRows } from './fake-rows.fixtures.ts';
import { CODEC, contents, failing, failure, open, row } from './rows-storage.fixtures.ts';
import { createRowsStorage } from './rows-storage.ts';

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
    const result = await storage.compareAndWrite('a', before.item, encodeUtf8('2'));
    if (result.outcome !== 'conflict') return expect.unreachable();
    expect(decodeUtf8(result.current!.value)).toBe('by another');
    expect(await contents(storage)).toEqual({ a: 'by another' });
    rows.write(row('b', 'by another'));
    expect(await storage.create('b', encodeUtf8('2'))).toMatchObject({ outcome: 'conflict', current: { key: 'b' } });
    rows.erase({ namespace: '', name: 'a' });
    const gone = await storage.compareAndWrite('a', result.current!, encodeUtf8('2'));
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
    expect(await storage.compareAndWrite('a', seenAt(created.revision), encodeUtf8('1'))).toMatchObject({
      changed: false,
    });
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
      const replaced = await storage.compareAndWrite('a', seenAt(created.revision), encodeUtf8('2'));
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
    const late = storage.compareAndWrite('a', before.item, encodeUtf8('2'));
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
    const error = await failure(storage.compareAndWrite('a', before.item, encodeUtf8('2')));
    expect(error.message).toBe("the rows answered 'conflict' but show the expected version");
    await storage.stop();
  });
});
