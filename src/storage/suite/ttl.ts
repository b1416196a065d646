/** Conformance: time to live. The clock is virtual; a driver may be late by a few seconds, never early. */
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import { bytes, overwrite, put, Recorder, readText, type SuiteCase } from './context.ts';

/** "At most a few seconds late." */
const LATE = 5_000;

export const ttlCases: readonly SuiteCase[] = [
  {
    name: 'a key with a time to live is deleted after it by an ordinary delete with a revision of its own',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'x', 60_000);
      const other = await put(storage, 'b', 'stays');
      const watcher = Recorder.start(storage, '', { after: created });
      await context.clock.advance(59_000);
      await context.settle();
      expectEqual(await readText(storage, 'a'), 'x', 'before the time');
      await context.clock.advance(1_000 + LATE);
      await watcher.until((recorder) => recorder.seen.length >= 2);
      const gone = watcher.seen[1]!;
      expectTrue(gone.type === 'delete' && gone.key === 'a' && gone.revision > other, 'a delete event');
      expectEqual(gone.previous, { key: 'a', value: bytes('x'), revision: created, created });
      expectEqual(await storage.get('a'), { outcome: 'missing', revision: gone.revision });
      expectEqual(await readText(storage, 'b'), 'stays');
      expectEqual(await storage.revision(), gone.revision);
    },
  },
  {
    name: 'keys expire in the order of their times, many at once too',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, '', { after: 1 });
      await put(storage, 'late', 'x', 60_000);
      await put(storage, 'early', 'x', 20_000);
      for (let i = 0; i < 200; i++) await put(storage, `many/${i}`, 'x', 40_000);
      await context.clock.advance(20_000 + LATE);
      await watcher.until((recorder) => recorder.seen.length === 203);
      expectEqual(await readText(storage, 'early'), undefined);
      expectEqual(await readText(storage, 'many/7'), 'x');
      await context.clock.advance(20_000);
      await watcher.until((recorder) => recorder.seen.length === 403);
      expectEqual(await readText(storage, 'late'), 'x');
      await context.clock.advance(20_000);
      await watcher.until((recorder) => recorder.seen.length === 404);
      expectEqual(expectOutcome(await storage.list({ prefix: '' }), 'ok').items, []);
      expectEqual(new Set(watcher.seen.slice(202).map((event) => event.key)).size, 202);
    },
  },
  {
    name: 'no key expires early, not even with one that is due a moment before',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, '', { after: 1 });
      await put(storage, 'first', 'x', 20_000);
      await put(storage, 'second', 'x', 21_500);
      await context.clock.advance(21_000);
      await context.settle();
      await watcher.caughtUp(storage);
      expectEqual(await readText(storage, 'second'), 'x');
      await context.clock.advance(500 + LATE);
      await watcher.until((recorder) => recorder.seen.length >= 4);
      expectEqual(
        watcher.seen.slice(2).map((event) => `${event.type} ${event.key}`),
        ['delete first', 'delete second'],
      );
      expectTrue(watcher.seen[2]!.revision < watcher.seen[3]!.revision, 'each has a revision of its own');
    },
  },
  {
    name: 'each write sets its own time to live: a later one prolongs, none at all clears it',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, '', { after: 1 });
      const prolonged = await put(storage, 'prolonged', 'x', 20_000);
      const cleared = await put(storage, 'cleared', 'x', 20_000);
      await put(storage, 'transacted', 'x', 20_000);
      await context.clock.advance(15_000);
      expectOutcome(await storage.compareAndWrite('prolonged', prolonged, bytes('y'), { ttlMs: 20_000 }), 'ok');
      expectOutcome(await storage.compareAndWrite('cleared', cleared, bytes('y')), 'ok');
      await overwrite(storage, 'transacted', 'y');
      await context.clock.advance(10_000);
      await context.settle();
      for (const key of ['prolonged', 'cleared', 'transacted']) expectEqual(await readText(storage, key), 'y');
      await context.clock.advance(10_000 + LATE);
      await watcher.until((recorder) => recorder.seen.length >= 7);
      expectEqual(await readText(storage, 'prolonged'), undefined);
      await context.clock.advance(100_000);
      await watcher.caughtUp(storage);
      expectEqual(await readText(storage, 'cleared'), 'y');
      expectEqual(await readText(storage, 'transacted'), 'y');
      expectEqual(watcher.seen.length, 7);
    },
  },
  {
    name: 'writing equal bytes is a change if a time to live is involved on either side',
    async run(context) {
      const storage = await context.open();
      const first = await put(storage, 'a', 'x');
      const second = expectOutcome(await storage.compareAndWrite('a', first, bytes('x'), { ttlMs: 10_000 }), 'ok');
      expectTrue(second.changed && second.revision > first, 'a time to live is set');
      const third = expectOutcome(await storage.compareAndWrite('a', second.revision, bytes('x')), 'ok');
      expectTrue(third.changed && third.revision > second.revision, 'the time to live is cleared');
      const fourth = expectOutcome(await storage.compareAndWrite('a', third.revision, bytes('x')), 'ok');
      expectEqual(fourth.changed, false);
      await context.clock.advance(60_000);
      await context.settle();
      expectEqual(await readText(storage, 'a'), 'x');
    },
  },
  {
    name: 'a key that was deleted and made again does not inherit a time to live',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'a', 'x', 20_000);
      expectOutcome(await storage.delete('a'), 'ok');
      const again = await put(storage, 'a', 'x');
      await context.clock.advance(60_000);
      await context.settle();
      const { item, revision } = expectOutcome(await storage.get('a'), 'found');
      expectEqual([item.revision, revision], [again, again]);
    },
  },
  {
    name: 'the puts of a transaction may have times to live',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, '', { after: 1 });
      await storage.transact({
        checks: [],
        writes: [
          { type: 'put', key: 'a', value: bytes('x'), ttlMs: 20_000 },
          { type: 'put', key: 'b', value: bytes('x') },
        ],
      });
      await context.clock.advance(20_000 + LATE);
      await watcher.until((recorder) => recorder.seen.length >= 3);
      expectEqual(await readText(storage, 'a'), undefined);
      expectEqual(await readText(storage, 'b'), 'x');
    },
  },
  {
    name: 'a time to live must be a positive number',
    async run(context) {
      const storage = await context.open();
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
        await expectStorageError(() => storage.create('a', bytes('x'), { ttlMs }), 'InvalidArgument');
      expectEqual(await readText(storage, 'a'), undefined);
    },
  },
  {
    name: 'a time to live survives a restart, and what fell due meanwhile goes soon after',
    needs: 'reopen',
    async run(context) {
      let storage = await context.open();
      await put(storage, 'due', 'x', 20_000);
      const last = await put(storage, 'later', 'x', 120_000);
      storage = await context.reopen!(storage);
      expectEqual(await readText(storage, 'due'), 'x');
      await storage.stop();
      await context.clock.advance(60_000);
      storage = await context.reopen!(storage);
      const watcher = Recorder.start(storage, '', { after: last });
      await context.clock.advance(LATE);
      await watcher.until((recorder) => recorder.seen.length >= 1);
      expectEqual(
        watcher.seen.map((event) => `${event.type} ${event.key}`),
        ['delete due'],
      );
      expectEqual(await readText(storage, 'later'), 'x');
      await context.clock.advance(60_000);
      await watcher.until((recorder) => recorder.seen.length >= 2);
      expectEqual(await readText(storage, 'later'), undefined);
    },
  },
];
