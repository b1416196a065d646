/**
 * Conformance: time to live. A driver may be late by a few seconds, never early. Times are those of the virtual clock; a
 * driver on real time gets a share of them (`SuiteContext.timeScale`).
 */

import type { KeyValue, Storage } from '../storage.ts';
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import {
  bytes,
  embedded,
  overwrite,
  put,
  Recorder,
  readText,
  type SuiteCase,
  type SuiteContext,
  seenAt,
} from './context.ts';

/** The longest delay of an expiry in milliseconds. `WriteOptions.ttlMs` allows "at most a few seconds". */
const LATE = 5_000;

/**
 * Lets time pass and then writes outside of `k/`. The clock is virtual, but the disk is real: the write gives the store
 * time to delete expired keys.
 */
async function pass(context: SuiteContext, storage: Storage, ms: number): Promise<void> {
  await context.advance(ms);
  await overwrite(storage, 'tick', String(context.clock.now()));
  await context.settle();
}

/** Advances the clock until the watch has seen this many events. Fails if that takes longer than the allowed delay. */
async function seenInTime(context: SuiteContext, storage: Storage, watcher: Recorder, count: number): Promise<void> {
  for (let late = 0; late < LATE && watcher.seen.length < count; late += 500) {
    await pass(context, storage, 500);
    await watcher.caughtUp(storage);
  }
  expectEqual(watcher.seen.length, count, 'events in time');
}

export const ttlCases: readonly SuiteCase[] = [
  {
    name: 'a time to live beyond all dates never ends, and other keys still expire',
    async run(context) {
      const storage = await context.open();
      for (const ttlMs of [1e15, 1e21, Number.MAX_VALUE]) await put(storage, `k/${ttlMs}`, 'x', ttlMs);
      const last = await put(storage, 'k/short', 'x', 20_000 * context.timeScale);
      const watcher = Recorder.start(storage, 'k/', { after: last });
      await pass(context, storage, 20_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 1);
      expectEqual(watcher.seen[0]!.key, 'k/short', 'what expired');
      for (const ttlMs of [1e15, 1e21, Number.MAX_VALUE])
        expectEqual(await readText(storage, `k/${ttlMs}`), 'x', `ttl ${ttlMs}`);
    },
  },
  {
    name: 'a key with a time to live is deleted by an ordinary delete',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'k/a', 'x', 60_000 * context.timeScale);
      const other = await put(storage, 'k/b', 'stays');
      const watcher = Recorder.start(storage, 'k/', { after: created }, { previous: true });
      await pass(context, storage, 59_000 * context.timeScale);
      expectEqual(await readText(storage, 'k/a'), 'x', 'before the time');
      await pass(context, storage, 1_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 2);
      const gone = watcher.seen[1]!;
      expectTrue(gone.type === 'delete' && gone.key === 'k/a' && gone.revision > other, 'a delete event');
      expectEqual(gone.previous, { key: 'k/a', value: bytes('x'), revision: created, created });
      expectOutcome(await storage.get('k/a'), 'missing');
      expectEqual(await readText(storage, 'k/b'), 'stays');
      expectOutcome(await storage.get('k/a', { revision: gone.revision - 1 }), 'found');
      expectOutcome(await storage.get('k/a', { revision: gone.revision }), 'missing');
    },
  },
  {
    name: 'keys expire in the order of their times, also many at once',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'k/', { after: base });
      await put(storage, 'k/late', 'x', 60_000 * context.timeScale);
      await put(storage, 'k/early', 'x', 20_000 * context.timeScale);
      for (let i = 0; i < 200; i++) await put(storage, `k/many/${i}`, 'x', 40_000 * context.timeScale);
      await pass(context, storage, 20_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 203);
      expectEqual(await readText(storage, 'k/early'), undefined);
      expectEqual(await readText(storage, 'k/many/7'), 'x');
      await pass(context, storage, 20_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 403);
      expectEqual(await readText(storage, 'k/late'), 'x');
      await pass(context, storage, 20_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 404);
      expectEqual(expectOutcome(await storage.list({ prefix: 'k/' }), 'ok').items, []);
      expectEqual(new Set(watcher.seen.slice(202).map((event) => event.key)).size, 202);
    },
  },
  {
    name: 'no key expires early, not even together with one that expires a moment before',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'k/', { after: base });
      await put(storage, 'k/first', 'x', 20_000 * context.timeScale);
      await put(storage, 'k/second', 'x', 21_500 * context.timeScale);
      await pass(context, storage, 21_000 * context.timeScale);
      await watcher.caughtUp(storage);
      expectEqual(await readText(storage, 'k/second'), 'x');
      await seenInTime(context, storage, watcher, 4);
      expectEqual(
        watcher.seen.slice(2).map((event) => `${event.type} ${event.key}`),
        ['delete k/first', 'delete k/second'],
      );
      expectTrue(watcher.seen[2]!.revision < watcher.seen[3]!.revision, 'keys of other times have other revisions');
    },
  },
  {
    name: 'each write sets the time to live: a longer one prolongs it, and none clears it',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'k/', { after: base });
      const prolonged = await put(storage, 'k/prolonged', 'x', 20_000 * context.timeScale);
      const cleared = await put(storage, 'k/cleared', 'x', 20_000 * context.timeScale);
      await put(storage, 'k/transacted', 'x', 20_000 * context.timeScale);
      await context.advance(15_000 * context.timeScale);
      expectOutcome(
        await storage.compareAndWrite('k/prolonged', seenAt(prolonged), bytes('y'), {
          ttlMs: 20_000 * context.timeScale,
        }),
        'ok',
      );
      expectOutcome(await storage.compareAndWrite('k/cleared', seenAt(cleared), bytes('y')), 'ok');
      await overwrite(storage, 'k/transacted', 'y');
      await pass(context, storage, 10_000 * context.timeScale);
      for (const key of ['k/prolonged', 'k/cleared', 'k/transacted']) expectEqual(await readText(storage, key), 'y');
      await pass(context, storage, 10_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 7);
      expectEqual(await readText(storage, 'k/prolonged'), undefined);
      await pass(context, storage, 100_000 * context.timeScale);
      await watcher.caughtUp(storage);
      expectEqual(await readText(storage, 'k/cleared'), 'y');
      expectEqual(await readText(storage, 'k/transacted'), 'y');
      expectEqual(watcher.seen.length, 7);
    },
  },
  {
    name: 'writing equal bytes is a change if a time to live is involved on either side',
    async run(context) {
      const storage = await context.open();
      const seen = async (): Promise<KeyValue> => expectOutcome(await storage.get('k/a'), 'found').item;
      const first = await put(storage, 'k/a', 'x');
      const second = expectOutcome(
        await storage.compareAndWrite('k/a', await seen(), bytes('x'), { ttlMs: 10_000 * context.timeScale }),
        'ok',
      );
      expectTrue(second.changed && second.revision > first, 'a time to live is set');
      const third = expectOutcome(await storage.compareAndWrite('k/a', await seen(), bytes('x')), 'ok');
      expectTrue(third.changed && third.revision > second.revision, 'the time to live is cleared');
      const fourth = expectOutcome(await storage.compareAndWrite('k/a', await seen(), bytes('x')), 'ok');
      expectEqual(fourth.changed, false);
      await pass(context, storage, 60_000 * context.timeScale);
      expectEqual(await readText(storage, 'k/a'), 'x');
    },
  },
  {
    name: 'a key that was deleted and created again does not inherit a time to live',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'k/a', 'x', 20_000 * context.timeScale);
      expectOutcome(await storage.delete('k/a'), 'ok');
      const again = await put(storage, 'k/a', 'x');
      await pass(context, storage, 60_000 * context.timeScale);
      expectEqual(expectOutcome(await storage.get('k/a'), 'found').item.revision, again);
    },
  },
  {
    name: 'the puts of a transaction may have times to live',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'k/', { after: base });
      await storage.transact({
        checks: [],
        writes: [
          { type: 'put', key: 'k/a', value: bytes('x'), ttlMs: 20_000 * context.timeScale },
          { type: 'put', key: 'k/b', value: bytes('x') },
        ],
      });
      await pass(context, storage, 20_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 3);
      expectEqual(await readText(storage, 'k/a'), undefined);
      expectEqual(await readText(storage, 'k/b'), 'x');
    },
  },
  {
    name: 'a time to live must be a positive number',
    async run(context) {
      const storage = await context.open();
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
        await expectStorageError(() => storage.create('k/a', bytes('x'), { ttlMs }), 'InvalidArgument');
      expectEqual(await readText(storage, 'k/a'), undefined);
    },
  },
  {
    name: 'a time to live survives a restart, and keys that expired meanwhile are deleted soon after',
    needs: 'reopen',
    async run(context) {
      let storage = await context.open();
      await put(storage, 'k/due', 'x', 20_000 * context.timeScale);
      const last = await put(storage, 'k/later', 'x', 120_000 * context.timeScale);
      storage = await context.reopen!(storage);
      expectEqual(await readText(storage, 'k/due'), 'x');
      await storage.stop();
      await context.advance(60_000 * context.timeScale);
      storage = await context.reopen!(storage);
      const watcher = Recorder.start(storage, 'k/', { after: last });
      await seenInTime(context, storage, watcher, 1);
      expectEqual(
        watcher.seen.map((event) => `${event.type} ${event.key}`),
        ['delete k/due'],
      );
      expectEqual(await readText(storage, 'k/later'), 'x');
      await pass(context, storage, 60_000 * context.timeScale);
      await seenInTime(context, storage, watcher, 2);
      expectEqual(await readText(storage, 'k/later'), undefined);
    },
  },
];
