/** Conformance: the start, the events and the end of a watch. */
import { isBugError } from '../../base/errors.ts';
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import { bytes, line, overwrite, put, Recorder, remove, type SuiteCase } from './context.ts';

export const watchCases: readonly SuiteCase[] = [
  {
    name: 'a watch from now reports its start and delivers every later change, with previous values',
    async run(context) {
      const storage = await context.open();
      const old = await put(storage, 'p/old', 'x');
      const watcher = Recorder.start(storage, 'p/', 'now', { previous: true });
      await watcher.until((recorder) => recorder.calls.length > 0);
      expectEqual(watcher.calls[0], { type: 'progress', revision: old }, 'the first call');
      const a = await put(storage, 'p/a', 'one');
      const b = await overwrite(storage, 'p/a', 'two');
      const c = await remove(storage, 'p/a');
      const d = await put(storage, 'p/a', 'three');
      const e = await overwrite(storage, 'p/old', 'y');
      await watcher.caughtUp(storage);
      expectEqual(watcher.lines, [
        `put p/a=one@${a}/${a} was -`,
        `put p/a=two@${b}/${a} was p/a=one@${a}/${a}`,
        `delete p/a@${c} was p/a=two@${b}/${a}`,
        `put p/a=three@${d}/${d} was -`,
        `put p/old=y@${e}/${old} was p/old=x@${old}/${old}`,
      ]);
    },
  },
  {
    name: 'a watch from now delivers exactly the writes above its start, including those in flight',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'p/before', 'x');
      const writes: Promise<number>[] = [];
      for (let i = 0; i < 10; i++) writes.push(put(storage, `p/early-${i}`, 'x'));
      const watcher = Recorder.start(storage, 'p/', 'now');
      for (let i = 0; i < 10; i++) writes.push(put(storage, `p/late-${i}`, 'x'));
      const revisions = await Promise.all(writes);
      await watcher.caughtUp(storage);
      const first = watcher.calls[0];
      expectTrue(first?.type === 'progress', 'progress comes first');
      expectEqual(
        watcher.seen.map((event) => event.revision),
        revisions.filter((revision) => revision > first.revision).sort((a, b) => a - b),
      );
    },
  },
  {
    name: 'a watch from state delivers the state in key order, then its revision, then every change',
    async run(context) {
      const storage = await context.open();
      const b = await put(storage, 'p/b', '1');
      const a = await put(storage, 'p/a', '2');
      const changed = await overwrite(storage, 'p/b', '3');
      await put(storage, 'p/gone', 'x');
      await remove(storage, 'p/gone');
      const last = await put(storage, 'q/other', 'x');
      const watcher = Recorder.start(storage, 'p/', 'state', { previous: true });
      await watcher.until((recorder) => recorder.progressed >= last);
      expectEqual(watcher.lines, [`put p/a=2@${a}/${a} was -`, `put p/b=3@${changed}/${b} was -`]);
      expectEqual(watcher.calls.at(-1), { type: 'progress', revision: last });
      const c = await put(storage, 'p/c', '4');
      const d = await remove(storage, 'p/a');
      await watcher.caughtUp(storage);
      expectEqual(watcher.lines.slice(2), [`put p/c=4@${c}/${c} was -`, `delete p/a@${d} was p/a=2@${a}/${a}`]);
    },
  },
  {
    name: 'a watch from the state of an empty range only reports its revision',
    async run(context) {
      const storage = await context.open();
      const revision = await put(storage, 'q', 'x');
      const watcher = Recorder.start(storage, 'p/', 'state');
      await watcher.until((recorder) => recorder.progressed > 0);
      expectEqual(
        watcher.calls.filter((call) => call.type !== 'events' || call.events.length > 0),
        [{ type: 'progress', revision }],
      );
    },
  },
  {
    name: 'a watch after a revision delivers every later change, however old',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const expected: string[] = [];
      const watcherAtStart = Recorder.start(storage, 'p/', { after: base });
      const revisions: number[] = [await storage.revision()];
      for (let i = 0; i < 40; i++) {
        const key = `p/${i % 6}`;
        if (i % 5 === 4) await storage.delete(key);
        else await overwrite(storage, key, `v${i}`);
        await overwrite(storage, 'q/noise', `${i}`);
        revisions.push(await storage.revision());
      }
      await watcherAtStart.caughtUp(storage);
      expected.push(...watcherAtStart.lines);
      expectEqual(expected.length, 40 - 8 + watcherAtStart.seen.filter((event) => event.type === 'delete').length);
      for (const after of revisions) {
        const watcher = Recorder.start(storage, 'p/', { after });
        await watcher.caughtUp(storage);
        expectEqual(
          watcher.lines,
          watcherAtStart.seen.filter((event) => event.revision > after).map(line),
          `events after ${after}`,
        );
      }
    },
  },
  {
    name: 'a watch after a revision that is not reached begins with the next one',
    async run(context) {
      const storage = await context.open();
      const current = await put(storage, 'p/0', 'x');
      const watcher = Recorder.start(storage, 'p/', { after: current + 2 });
      const revisions: number[] = [];
      for (let i = 1; i <= 5; i++) revisions.push(await put(storage, `p/${i}`, 'x'));
      await watcher.caughtUp(storage);
      expectEqual(
        watcher.seen.map((event) => event.revision),
        revisions.filter((revision) => revision > current + 2),
      );
    },
  },
  {
    name: 'a delete event carries the last value and the revision of the deletion',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'one');
      const changed = await overwrite(storage, 'a', 'last');
      const watcher = Recorder.start(storage, 'a', { after: changed }, { previous: true });
      const deleted = await remove(storage, 'a');
      await watcher.caughtUp(storage);
      expectEqual(watcher.seen, [
        {
          type: 'delete',
          key: 'a',
          revision: deleted,
          previous: { key: 'a', value: bytes('last'), revision: changed, created },
        },
      ]);
    },
  },
  {
    name: 'a watch delivers only the keys of its prefix',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'a/b', { after: base });
      const below = Recorder.start(storage, 'a/b/', { after: base });
      const all = Recorder.start(storage, '', { after: base });
      const keys = ['a', 'a/', 'a/a', 'a/b', 'a/b/', 'a/b/c', 'a/b0', 'a/c', 'b'];
      for (const key of keys) await put(storage, key, 'x');
      for (const recorder of [watcher, below, all]) await recorder.caughtUp(storage);
      const keysOfEvents = (recorder: Recorder): string[] => recorder.seen.map((event) => event.key);
      expectEqual(keysOfEvents(watcher), ['a/b', 'a/b/', 'a/b/c', 'a/b0']);
      expectEqual(keysOfEvents(below), ['a/b/', 'a/b/c']);
      expectEqual(keysOfEvents(all), keys);
    },
  },
  {
    name: 'several ranges are one ordered stream, and an event in two of them is delivered once',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, ['a/', 'c/', 'c/x'], { after: base });
      const keys = ['c/1', 'a/1', 'b/1', 'c/x', 'a/2', 'c/2', 'd', 'a/3'];
      for (const key of keys) await put(storage, key, 'x');
      await watcher.caughtUp(storage);
      expectEqual(
        watcher.seen.map((event) => event.key),
        ['c/1', 'a/1', 'c/x', 'a/2', 'c/2', 'a/3'],
      );
      const state = Recorder.start(storage, ['c/', 'a/', 'c/x'], 'state');
      await state.until((recorder) => recorder.progressed > 0);
      expectEqual(
        state.seen.map((event) => event.key),
        ['a/1', 'a/2', 'a/3', 'c/1', 'c/2', 'c/x'],
      );
    },
  },
  {
    name: 'stop() ends a watch within the call, once, and nothing is delivered afterwards',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, '', 'now');
      await watcher.until((recorder) => recorder.progressed > 0);
      const other = Recorder.start(storage, '', 'now');
      // Requested before the stop, and not delivered after it.
      watcher.watch.requestProgress();
      watcher.watch.stop();
      expectEqual(watcher.ended, { reason: 'stopped' });
      watcher.watch.stop();
      watcher.watch.requestProgress();
      const calls = watcher.calls.length;
      await put(storage, 'a', 'x');
      await other.caughtUp(storage);
      await context.settle();
      expectEqual(watcher.calls.length, calls, 'calls after stop()');
      await watcher.until(() => true);
    },
  },
  {
    name: 'a watch that is stopped before its first call only gets its end',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      await put(storage, 'a', 'x');
      const watchers = (['now', 'state', { after: base }] as const).map((from) => Recorder.start(storage, '', from));
      for (const watcher of watchers) watcher.watch.stop();
      await put(storage, 'b', 'x');
      await context.settle();
      for (const watcher of watchers) expectEqual(watcher.calls, [{ type: 'end', reason: { reason: 'stopped' } }]);
    },
  },
  {
    name: 'a sink may stop its watch inside a call: only the end follows that call',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      for (let i = 0; i < 5; i++) await put(storage, `a/${i}`, 'x');
      for (const from of [{ after: base }, 'state'] as const) {
        const watcher = new Recorder();
        watcher.onEvents = () => {
          watcher.watch.requestProgress();
          watcher.watch.stop();
        };
        watcher.watch = storage.watch({ ranges: [{ prefix: '' }], from }, watcher);
        await watcher.untilEnd();
        await overwrite(storage, 'b', JSON.stringify(from));
        await context.settle();
        expectEqual(
          watcher.calls.map((call) => call.type),
          ['events', 'end'],
        );
        expectEqual(watcher.ended, { reason: 'stopped' });
        await watcher.until(() => true);
      }
    },
  },
  {
    name: 'a sink may write, read and watch inside a call, and its reads see the delivered events',
    async run(context) {
      const storage = await context.open();
      const watcher = new Recorder();
      let inner: Recorder | undefined;
      let followUp: Promise<number> | undefined;
      const reads: Promise<void>[] = [];
      watcher.onEvents = (events) => {
        const revision = events.at(-1)!.revision;
        const read = storage.get(events[0]!.key);
        reads.push(
          Promise.resolve(read).then((result) => {
            const found = expectOutcome(result, 'found');
            expectTrue(found.revision >= revision, 'the read is at least as new as the event');
          }),
        );
        inner ??= Recorder.start(storage, '', 'state');
        followUp ??= put(storage, 'follow-up', 'x');
      };
      watcher.watch = storage.watch({ ranges: [{ prefix: '' }], from: 'now' }, watcher);
      await watcher.until((recorder) => recorder.progressed > 0);
      await put(storage, 'a', 'x');
      await watcher.until((recorder) => recorder.seen.length >= 1);
      const revision = await followUp!;
      await watcher.until((recorder) => recorder.seen.length >= 2);
      await inner!.until((recorder) => recorder.seen.length >= 2);
      await Promise.all(reads);
      expectEqual(
        watcher.seen.map((event) => event.key),
        ['a', 'follow-up'],
      );
      expectEqual(watcher.seen[1]!.revision, revision);
      expectEqual(
        inner!.seen.map((event) => event.key),
        ['a', 'follow-up'],
      );
    },
  },
  {
    name: 'a sink that throws ends its own watch with a BugError and affects no writer and no other watch',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const good = Recorder.start(storage, '', { after: base });
      const bad = new Recorder();
      const thrown = new TypeError('thrown by the sink');
      bad.onEvents = () => {
        throw thrown;
      };
      bad.watch = storage.watch({ ranges: [{ prefix: '' }], from: { after: base } }, bad);
      const second = Recorder.start(storage, '', { after: base });
      await put(storage, 'a', 'x');
      const end = await bad.untilEnd();
      expectTrue(end.reason === 'failed' && isBugError(end.error), 'the end is a BugError');
      expectEqual(end.error.cause, thrown);
      await put(storage, 'b', 'x');
      for (const watcher of [good, second]) {
        await watcher.caughtUp(storage);
        expectEqual(
          watcher.seen.map((event) => event.key),
          ['a', 'b'],
        );
      }
      expectEqual(bad.seen.length, 1);
    },
  },
  {
    name: 'progress is reported on request at the current revision, even if nothing changes in the ranges',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'p/', { after: base });
      for (let i = 0; i < 10; i++) {
        const revision = await put(storage, `q/${i}`, 'x');
        watcher.watch.requestProgress();
        await watcher.until((recorder) => recorder.progressed >= revision);
      }
      expectEqual(watcher.seen.length, 0);
      expectTrue(watcher.progressed <= (await storage.revision()), 'progress is not ahead of the store');
    },
  },
  {
    name: 'progress is reported only after everything up to its revision has been delivered',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, 'p/', 'now');
      const revisions = await Promise.all(
        Array.from({ length: 60 }, (_, i) => {
          if (i % 5 === 0) watcher.watch.requestProgress();
          return put(storage, `${i % 3 === 0 ? 'q' : 'p'}/${i}`, 'x');
        }),
      );
      await watcher.caughtUp(storage);
      const mine = revisions.filter((_, i) => i % 3 !== 0);
      const start = watcher.calls[0];
      expectTrue(start?.type === 'progress', 'progress comes first');
      let delivered = start.revision;
      const seen = new Set<number>();
      for (const call of watcher.calls) {
        if (call.type === 'events') {
          for (const event of call.events) {
            expectTrue(event.revision > delivered, 'no event at or below what progress had promised');
            seen.add(event.revision);
          }
        } else if (call.type === 'progress') {
          expectTrue(call.revision >= delivered, 'progress never goes back');
          delivered = call.revision;
          for (const revision of mine)
            expectTrue(revision > delivered || revision <= start.revision || seen.has(revision), 'all was delivered');
        }
      }
    },
  },
  {
    name: 'a watch takes prefixes only',
    async run(context) {
      const storage = await context.open();
      const sink = new Recorder();
      await expectStorageError(
        () => void storage.watch({ ranges: [{ prefix: 'a/', start: 'a/b' }], from: 'now' }, sink),
        'InvalidArgument',
      );
      expectEqual(sink.calls, []);
    },
  },
];
