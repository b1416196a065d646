/** Conformance: the compaction horizon and `lookBack`. */

import { isEmbedded } from '../embedded-storage.ts';
import type { Storage } from '../storage.ts';
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import { embedded, overwrite, put, Recorder, remove, type SuiteCase, text } from './context.ts';

/** Writes p/a ten times, with the values `v0` to `v9`. Returns the revisions. */
async function history(storage: Storage): Promise<number[]> {
  const revisions: number[] = [];
  for (let i = 0; i < 10; i++) revisions.push(await overwrite(storage, 'p/a', `v${i}`));
  return revisions;
}

export const compactCases: readonly SuiteCase[] = [
  {
    name: 'reads, lists and watches below the horizon are compacted; at the horizon they work',
    async run(context) {
      const storage = await context.open();
      const revisions = await history(storage);
      const horizon = revisions[5]!;
      await storage.compact(horizon);
      expectEqual(storage.horizon(), horizon);
      for (const [i, revision] of revisions.entries()) {
        const got = await storage.get('p/a', { revision });
        const listed = await storage.list({ prefix: 'p/' }, { revision });
        const counted = await storage.list({ prefix: 'p/' }, { revision, countOnly: true });
        const watcher = Recorder.start(storage, 'p/', { after: revision });
        if (i < 5) {
          for (const result of [got, listed, counted]) expectEqual(result, { outcome: 'compacted', horizon });
          expectEqual(await watcher.untilEnd(), { reason: 'compacted', horizon });
          expectEqual(watcher.calls.length, 1, 'calls of a compacted watch');
        } else {
          expectEqual(text(expectOutcome(got, 'found').item.value), `v${i}`);
          expectEqual(expectOutcome(listed, 'ok').items.length, 1);
          expectEqual(expectOutcome(counted, 'ok').remaining, 1);
          await watcher.caughtUp(storage);
          expectEqual(
            watcher.seen.map((event) => event.revision),
            revisions.slice(i + 1),
          );
        }
      }
      expectEqual(await storage.get('p/a', { revision: 0 }), { outcome: 'compacted', horizon });
    },
  },
  {
    name: 'compaction does not change the current state, not even for deleted keys',
    async run(context) {
      const storage = await context.open();
      const a = await put(storage, 'p/a', 'old and unchanged');
      await put(storage, 'p/b', 'x');
      await remove(storage, 'p/b');
      const last = await put(storage, 'p/c', 'y');
      await storage.compact(last);
      const { items, revision } = expectOutcome(await storage.list({ prefix: '' }), 'ok');
      expectEqual(
        items.map((item) => [item.key, item.revision]),
        [
          ['p/a', a],
          ['p/c', last],
        ],
      );
      expectEqual(revision, last);
      expectEqual(expectOutcome(await storage.get('p/a', { revision: last }), 'found').item.revision, a);
      expectEqual(await storage.revision(), last, 'compaction takes no revision');
    },
  },
  {
    name: 'the horizon only grows, and never above the current revision',
    async run(context) {
      const storage = await context.open();
      const revisions = await history(storage);
      await storage.compact(revisions[4]!);
      for (const lower of [revisions[4]!, revisions[2]!, 1, 0]) await storage.compact(lower);
      expectEqual(storage.horizon(), revisions[4]!);
      await expectStorageError(() => storage.compact(revisions.at(-1)! + 1), 'InvalidArgument');
      expectEqual(storage.horizon(), revisions[4]!);
      await storage.compact(revisions.at(-1)!);
      expectEqual(storage.horizon(), revisions.at(-1)!);
    },
  },
  {
    name: 'the next page of a list is compacted once its revision is below the horizon',
    async run(context) {
      const storage = await context.open();
      for (let i = 0; i < 6; i++) await put(storage, `p/${i}`, 'x');
      const first = expectOutcome(await storage.list({ prefix: 'p/' }, { limit: 2 }), 'ok');
      const horizon = await put(storage, 'q', 'x');
      await storage.compact(horizon);
      expectEqual(await storage.list({ prefix: 'p/', start: first.next! }, { limit: 2, revision: first.revision }), {
        outcome: 'compacted',
        horizon,
      });
    },
  },
  {
    name: 'with lookBack reads and watches reach below the horizon as far as history is kept',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const revisions = await history(storage);
      const horizon = revisions[7]!;
      await storage.compact(horizon);
      const oldest = storage.oldestRevision();
      expectTrue(oldest <= horizon, 'history reaches at least to the horizon');
      for (const [i, revision] of revisions.entries()) {
        const got = await storage.get('p/a', { revision, lookBack: true });
        const listed = await storage.list({ prefix: 'p/' }, { revision, lookBack: true });
        const watcher = Recorder.start(storage, 'p/', { after: revision }, { lookBack: true });
        if (revision < oldest) {
          for (const result of [got, listed]) expectEqual(result, { outcome: 'compacted', horizon: oldest });
          expectEqual(await watcher.untilEnd(), { reason: 'compacted', horizon: oldest });
        } else {
          expectEqual(text(expectOutcome(got, 'found').item.value), `v${i}`);
          expectEqual(
            expectOutcome(listed, 'ok').items.map((item) => text(item.value)),
            [`v${i}`],
          );
          await watcher.caughtUp(storage);
          expectEqual(
            watcher.seen.map((event) => event.revision),
            revisions.slice(i + 1),
          );
        }
      }
      expectEqual(await storage.get('p/a', { revision: oldest - 1, lookBack: true }), {
        outcome: 'compacted',
        horizon: oldest,
      });
    },
  },
  {
    name: 'watches that are past the horizon continue, also those that start above the current revision',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const watcher = Recorder.start(storage, 'p/', { after: base });
      const current = await put(storage, 'p/0', 'x');
      const future = Recorder.start(storage, 'p/', { after: current + 1 });
      await watcher.caughtUp(storage);
      await storage.compact(current);
      const b = await put(storage, 'p/1', 'x');
      await storage.compact(b);
      const c = await put(storage, 'p/2', 'x');
      await watcher.caughtUp(storage);
      await future.caughtUp(storage);
      expectEqual(
        watcher.seen.map((event) => event.revision),
        [current, b, c],
      );
      expectEqual(
        future.seen.map((event) => event.revision),
        [b, c].filter((revision) => revision > current + 1),
      );
    },
  },
  {
    name: 'the horizon survives a restart',
    needs: 'reopen',
    async run(context) {
      let storage = await context.open();
      const revisions = await history(storage);
      await storage.compact(revisions[6]!);
      storage = await context.reopen!(storage);
      // A store that is not embedded may learn the horizon only from a read.
      if (isEmbedded(storage)) expectEqual(storage.horizon(), revisions[6]!);
      const refused = expectOutcome(await storage.get('p/a', { revision: revisions[5]! }), 'compacted');
      expectTrue(refused.horizon > revisions[5]! && refused.horizon <= revisions[6]!, 'the horizon is a lower bound');
      expectEqual(storage.horizon(), refused.horizon);
      expectEqual(text(expectOutcome(await storage.get('p/a', { revision: revisions[6]! }), 'found').item.value), 'v6');
    },
  },
];
