/** Conformance: stop. */
import { Deferred } from '../../base/deferred.ts';
import { isEmbedded } from '../embedded-storage.ts';
import type { WatchEnd } from '../storage.ts';
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import { bytes, keysOf, put, Recorder, type SuiteCase, seenAt } from './context.ts';

export const stopCases: readonly SuiteCase[] = [
  {
    name: 'after stop() every method throws Closed, and stop() may be called again',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'a', 'x');
      const first = storage.stop();
      const second = storage.stop();
      await first;
      await second;
      await storage.stop();
      await storage[Symbol.asyncDispose]();
      const sink = new Recorder();
      const calls: (() => unknown)[] = [
        () => storage.get('a'),
        () => storage.list({ prefix: '' }),
        () => storage.revision(),
        () => storage.create('b', bytes('x')),
        () => storage.compareAndWrite('a', seenAt(1), bytes('x')),
        () => storage.delete('a'),
        () => storage.watch({ ranges: [{ prefix: '' }], from: 'now' }, sink),
        () => storage.compact(1),
        () => storage.horizon(),
      ];
      if (isEmbedded(storage)) {
        calls.push(
          () => storage.transact({ checks: [], writes: [] }),
          () => storage.oldestRevision(),
          () => storage.snapshot(),
        );
      }
      for (const call of calls) await expectStorageError(call, 'Closed');
      expectEqual(sink.calls, []);
    },
  },
  {
    name: 'writes that begin after stop() was called are refused, even before it resolves',
    async run(context) {
      const storage = await context.open();
      const stopping = storage.stop();
      await expectStorageError(() => storage.create('a', bytes('x')), 'Closed');
      await stopping;
    },
  },
  {
    name: 'stop() answers the writes in flight, delivers them, and then ends the watches as closed',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, 'w/', 'now');
      const idle = Recorder.start(storage, 'other/', { after: (await storage.revision()) + 100 });
      await watcher.until((recorder) => recorder.progressed > 0);
      const writes = Array.from({ length: 50 }, (_, i) => put(storage, `w/${i}`, 'x'));
      let answered = 0;
      for (const write of writes)
        void write.then(() => {
          answered++;
        });
      await storage.stop();
      await context.settle();
      expectEqual(answered, 50, 'writes answered when stop() is done');
      const revisions = await Promise.all(writes);
      expectEqual(await watcher.untilEnd(), { reason: 'closed' });
      expectEqual(await idle.untilEnd(), { reason: 'closed' });
      expectEqual(
        watcher.seen.map((event) => event.revision),
        revisions.sort((a, b) => a - b),
      );
      expectEqual(
        watcher.calls.filter((call) => call.type === 'end').length + idle.calls.filter((c) => c.type === 'end').length,
        2,
      );
    },
  },
  {
    name: 'a sink may write and then stop the store: all watches get the write and then their end',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const before = Recorder.start(storage, '', { after: base });
      const stopper = new Recorder();
      let inner: Promise<number> | undefined;
      let stopping: Promise<void> | undefined;
      stopper.onEvents = () => {
        inner ??= put(storage, 'b', 'x');
        stopping ??= storage.stop();
      };
      stopper.watch = storage.watch({ ranges: [{ prefix: '' }], from: { after: base } }, stopper);
      const after = Recorder.start(storage, '', { after: base });
      const first = await put(storage, 'a', 'x');
      await stopper.until(() => stopping !== undefined);
      await stopping;
      const second = await inner!;
      for (const watcher of [before, stopper, after]) {
        expectEqual(await watcher.untilEnd(), { reason: 'closed' });
        expectEqual(
          watcher.seen.map((event) => event.revision),
          [first, second],
        );
      }
    },
  },
  {
    name: 'a sink may write and then stop the store in the first call of its watch',
    async run(context) {
      for (const start of ['now', 'state', 'after'] as const) {
        const storage = await context.open();
        const from = start === 'after' ? { after: await storage.revision() } : start;
        await put(storage, 'a', 'x');
        let inner: Promise<number> | undefined;
        let stopping: Promise<void> | undefined;
        let under = 0;
        const seen: string[] = [];
        const ended = new Deferred<WatchEnd>();
        const call = (what: string): void => {
          seen.push(under++ === 0 ? what : `${what} inside another call`);
          inner ??= put(storage, 'b', 'x');
          stopping ??= storage.stop();
          under--;
        };
        storage.watch(
          { ranges: [{ prefix: '' }], from },
          {
            events: (events) => call(events.map((event) => event.key).join()),
            progress: () => call('progress'),
            end: (reason) => ended.resolve(reason),
          },
        );
        expectEqual(await ended.promise, { reason: 'closed' });
        await stopping;
        await inner;
        expectEqual(
          seen.filter((what) => what !== 'progress').at(-1),
          'b',
          `the last event from ${JSON.stringify(from)}`,
        );
        expectEqual(seen[0], from === 'now' ? 'progress' : 'a', 'the first call');
      }
    },
  },
  {
    name: 'writes acknowledged before or during stop() survive a restart',
    needs: 'reopen',
    async run(context) {
      let storage = await context.open();
      const writes = Array.from({ length: 50 }, (_, i) => put(storage, `w/${String(i).padStart(2, '0')}`, `v${i}`));
      storage = await context.reopen!(storage);
      const revisions = await Promise.all(writes);
      const { items, revision } = expectOutcome(await storage.list({ prefix: 'w/' }), 'ok');
      expectEqual(
        items.map((item) => item.revision),
        revisions,
      );
      expectEqual(revision, Math.max(...revisions));
    },
  },
  {
    name: 'stopping a store leaves no timer behind and does not affect another store',
    async run(context) {
      const before = context.clock.pendingTimers;
      const storage = await context.open();
      const other = await context.open();
      await put(storage, 'a', 'x', 1_000_000);
      await put(other, 'a', 'x');
      const watcher = Recorder.start(other, '', 'now');
      await watcher.until((recorder) => recorder.progressed > 0);
      await storage.stop();
      const b = await put(other, 'b', 'x');
      await watcher.caughtUp(other);
      expectTrue(watcher.ended === undefined, 'the other watch goes on');
      expectEqual(
        watcher.seen.map((event) => event.revision),
        [b],
      );
      expectEqual(await keysOf(other, ''), ['a', 'b']);
      await other.stop();
      expectEqual(context.clock.pendingTimers, before, 'timers left behind');
    },
  },
];
