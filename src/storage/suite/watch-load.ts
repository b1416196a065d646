/**
 * Conformance: a watch under load loses nothing, repeats nothing and keeps the order; and it resumes across a restart.
 */

import { isEmbedded } from '../embedded-storage.ts';
import type { Storage } from '../storage.ts';
import { expectEqual, expectOutcome, expectTrue } from '../suite-assert.ts';
import { bytes, embedded, line, overwrite, put, Recorder, remove, type SuiteCase, text } from './context.ts';

/**
 * Runs writers that create, change and delete keys under `w/`, on an embedded store partly in transactions. Resolves
 * with the revisions of their writes.
 */
async function load(storage: Storage, writers: number, steps: number): Promise<Set<number>> {
  const revisions = new Set<number>();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let step = 0; step < steps; step++) {
        const key = `w/${writer}/${step % 4}`;
        const value = `${writer}-${step}`;
        const keys = [key, ...(step % 3 === 0 ? [`w/shared/${step % 7}`, `w/${writer}/x`] : [])];
        if (step % 5 === 4) {
          const result = await storage.delete(key);
          if (result.outcome === 'ok') revisions.add(result.revision);
        } else if (isEmbedded(storage)) {
          const writes = keys.map((each) => ({ type: 'put', key: each, value: bytes(value) }) as const);
          revisions.add((await storage.transact({ checks: [], writes })).revision);
        } else for (const each of keys) revisions.add(await overwrite(storage, each, value));
      }
    }),
  );
  return revisions;
}

/**
 * Applies the events to a state and compares the result with the store. Each previous value that an event has must
 * match.
 */
async function checkReplay(storage: Storage, watcher: Recorder, revisions: ReadonlySet<number>): Promise<void> {
  const state = new Map<string, { value: string; revision: number; created: number }>();
  let last = 0;
  let closed = 0;
  for (const call of watcher.calls) {
    if (call.type !== 'events') continue;
    for (const event of call.events) {
      expectTrue(event.revision >= last, 'revisions never go back');
      expectTrue(event.revision > closed, 'the events of one revision come in one call');
      last = event.revision;
      expectTrue(revisions.has(event.revision), `revision ${event.revision} was acknowledged to a writer`);
      const before = state.get(event.key);
      if (isEmbedded(storage) || event.previous !== undefined)
        expectEqual(
          event.previous && {
            value: text(event.previous.value),
            revision: event.previous.revision,
            created: event.previous.created,
          },
          before,
          `previous of ${line(event)}`,
        );
      if (event.type === 'delete') state.delete(event.key);
      else {
        expectEqual(event.created, before?.created ?? event.revision);
        state.set(event.key, { value: text(event.value), revision: event.revision, created: event.created });
      }
    }
    closed = last;
  }
  expectEqual(new Set(watcher.seen.map((event) => event.revision)).size, revisions.size, 'revisions seen');
  const { items } = expectOutcome(await storage.list({ prefix: 'w/' }), 'ok');
  expectEqual(
    [...state.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { value, revision }]) => [key, value, revision]),
    items.map((item) => [item.key, text(item.value), item.revision]),
    'the replayed state',
  );
}

export const watchLoadCases: readonly SuiteCase[] = [
  {
    name: 'under concurrent writers every event is delivered once, in order, in whole revisions',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'w/', { after: base });
      const revisions = await load(storage, 8, 40);
      await watcher.caughtUp(storage);
      await checkReplay(storage, watcher, revisions);
    },
  },
  {
    name: 'watches that begin under load miss nothing and repeat nothing',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const first = Recorder.start(storage, 'w/', { after: base });
      const writing = load(storage, 6, 40);
      const late: { watcher: Recorder; after: number }[] = [];
      let joins = 0;
      first.onEvents = (events) => {
        if (joins++ >= 20) return;
        const after = events[0]!.revision - (joins % 3);
        late.push({ watcher: Recorder.start(storage, 'w/', { after: Math.max(1, after) }), after: Math.max(1, after) });
      };
      await writing;
      await first.caughtUp(storage);
      expectTrue(late.length > 0, 'some watches began amid the load');
      for (const { watcher, after } of late) {
        await watcher.caughtUp(storage);
        expectEqual(watcher.lines, first.seen.filter((event) => event.revision > after).map(line), `after ${after}`);
      }
    },
  },
  {
    name: 'a watch from state under load has no gap between its state and its changes',
    async run(context) {
      const storage = await context.open();
      const writing = load(storage, 6, 30);
      const watchers: Recorder[] = [];
      for (let i = 0; i < 10; i++) {
        watchers.push(Recorder.start(storage, 'w/', 'state'));
        await storage.get('w/none');
        await context.settle();
      }
      await writing;
      const { items } = expectOutcome(await storage.list({ prefix: 'w/' }), 'ok');
      for (const watcher of watchers) {
        await watcher.caughtUp(storage);
        const state = new Map<string, string>();
        for (const event of watcher.seen) {
          if (event.type === 'put') state.set(event.key, text(event.value));
          else expectTrue(state.delete(event.key), 'what is deleted was there');
        }
        expectEqual(
          [...state].sort(([a], [b]) => (a < b ? -1 : 1)),
          items.map((item) => [item.key, text(item.value)]),
        );
      }
    },
  },
  {
    name: 'many watchers see the same events in the same order',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watchers = Array.from({ length: 50 }, () => Recorder.start(storage, 'w/', { after: base }));
      const revisions = await load(storage, 4, 20);
      for (const watcher of watchers) await watcher.caughtUp(storage);
      await checkReplay(storage, watchers[0]!, revisions);
      for (const watcher of watchers) expectEqual(watcher.lines, watchers[0]!.lines);
    },
  },
  {
    name: 'the events of a transaction are delivered in one call, in the order of its writes',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const b = await put(storage, 't/b', 'old');
      const watchers = [
        Recorder.start(storage, 't/', { after: b }),
        Recorder.start(storage, ['t/z', 't/a', 't/b'], { after: b }),
      ];
      const { revision } = expectOutcome(
        await storage.transact({
          checks: [],
          writes: [
            { type: 'put', key: 't/z', value: bytes('1') },
            { type: 'delete', key: 't/b' },
            { type: 'put', key: 'other', value: bytes('x') },
            { type: 'put', key: 't/a', value: bytes('2') },
          ],
        }),
        'ok',
      );
      // A watch that reads the events from the history gets the same events.
      watchers.push(Recorder.start(storage, 't/', { after: b }));
      for (const watcher of watchers) {
        await watcher.caughtUp(storage);
        expectEqual(watcher.lines, [
          `put t/z=1@${revision}/${revision} was -`,
          `delete t/b@${revision} was t/b=old@${b}/${b}`,
          `put t/a=2@${revision}/${revision} was -`,
        ]);
        expectEqual(watcher.calls.filter((call) => call.type === 'events').length, 1, 'calls');
      }
    },
  },
  {
    name: 'state, revisions and history survive a restart, and a watch resumes where it was',
    needs: 'reopen',
    async run(context) {
      let storage = await context.open();
      const base = await storage.revision();
      const expected: string[] = [];
      const seen: string[] = [];
      let last = base;
      for (let round = 0; round < 4; round++) {
        const watcher = Recorder.start(storage, 'p/', { after: last });
        const a = await overwrite(storage, 'p/a', `${round}`);
        await put(storage, `p/${round}`, 'x');
        await watcher.caughtUp(storage);
        // The following changes are made without a watch.
        watcher.watch.stop();
        seen.push(...watcher.lines);
        last = watcher.seen.at(-1)!.revision;
        await overwrite(storage, 'p/b', `${round}`);
        if (round > 1) await remove(storage, `p/${round - 1}`);
        const before = await storage.revision();
        const state = expectOutcome(await storage.list({ prefix: '' }), 'ok');
        storage = await context.reopen!(storage);
        expectEqual(await storage.revision(), before, 'the revision after a restart');
        expectEqual(expectOutcome(await storage.list({ prefix: '' }), 'ok'), state, 'the state after a restart');
        expectEqual(expectOutcome(await storage.get('p/a', { revision: a }), 'found').item.revision, a);
      }
      const rest = Recorder.start(storage, 'p/', { after: last });
      await rest.caughtUp(storage);
      seen.push(...rest.lines);
      const all = Recorder.start(storage, 'p/', { after: base });
      await all.caughtUp(storage);
      expected.push(...all.lines);
      expectEqual(seen, expected);
      expectEqual(expected.length, 4 * 3 + 2);
    },
  },
];
