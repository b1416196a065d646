/** Conformance: compare-and-write. */
import { expectEqual, expectOutcome, expectTrue } from '../suite-assert.ts';
import { bytes, overwrite, put, Recorder, readText, remove, type SuiteCase, seenAt, text } from './context.ts';

export const writeCases: readonly SuiteCase[] = [
  {
    name: 'compare-and-write at the expected revision changes the value and keeps the creation revision',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'one');
      await put(storage, 'b', 'x');
      const result = expectOutcome(await storage.compareAndWrite('a', seenAt(created), bytes('two')), 'ok');
      expectTrue(result.changed && result.revision > created, 'a new revision');
      expectEqual(expectOutcome(await storage.get('a'), 'found').item, {
        key: 'a',
        value: bytes('two'),
        revision: result.revision,
        created,
      });
    },
  },
  {
    name: 'compare-and-write of a key that was not seen creates a key, and conflicts with one that exists',
    async run(context) {
      const storage = await context.open();
      const { revision } = expectOutcome(await storage.compareAndWrite('a', undefined, bytes('one')), 'ok');
      expectEqual(await storage.compareAndWrite('a', undefined, bytes('one')), {
        outcome: 'conflict',
        current: { key: 'a', value: bytes('one'), revision, created: revision },
        revision,
      });
    },
  },
  {
    name: 'compare-and-write at another revision is a conflict with the current state and changes nothing',
    async run(context) {
      const storage = await context.open();
      const first = await put(storage, 'a', 'one');
      const second = await overwrite(storage, 'a', 'two');
      const other = await put(storage, 'b', 'x');
      for (const expected of [first, second + 1, other, 1]) {
        expectEqual(await storage.compareAndWrite('a', seenAt(expected), bytes('two')), {
          outcome: 'conflict',
          current: { key: 'a', value: bytes('two'), revision: second, created: first },
          revision: other,
        });
      }
      expectEqual(await storage.revision(), other);
    },
  },
  {
    name: 'compare-and-write of a missing key is a conflict without a state',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'one');
      const revision = await remove(storage, 'a');
      expectEqual(await storage.compareAndWrite('a', seenAt(created), bytes('two')), {
        outcome: 'conflict',
        current: undefined,
        revision,
      });
      expectEqual(await readText(storage, 'a'), undefined);
    },
  },
  {
    name: 'writing equal bytes is a no-op: no revision, no event, and the result is the old revision',
    async run(context) {
      const storage = await context.open();
      const revision = await put(storage, 'a', 'same');
      const other = await put(storage, 'b', 'x');
      const watcher = Recorder.start(storage, '', { after: other }, { previous: true });
      const { item } = expectOutcome(await storage.get('a'), 'found');
      expectEqual(await storage.compareAndWrite('a', item, bytes('same')), {
        outcome: 'ok',
        revision,
        changed: false,
      });
      expectEqual(await storage.revision(), other);
      expectEqual(expectOutcome(await storage.get('a'), 'found').item.revision, revision);
      const next = expectOutcome(await storage.compareAndWrite('a', item, bytes('other')), 'ok').revision;
      await watcher.caughtUp(storage);
      expectEqual(watcher.lines, [`put a=other@${next}/${revision} was a=same@${revision}/${revision}`]);
    },
  },
  {
    name: 'writing equal bytes over a state that is no longer current is a conflict',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'a', 'same');
      const { item } = expectOutcome(await storage.get('a'), 'found');
      await overwrite(storage, 'a', 'other');
      const again = await overwrite(storage, 'a', 'same');
      const result = expectOutcome(await storage.compareAndWrite('a', item, bytes('same')), 'conflict');
      expectEqual(result.current?.revision, again);
      await remove(storage, 'a');
      expectEqual(
        expectOutcome(await storage.compareAndWrite('a', item, bytes('same')), 'conflict').current,
        undefined,
      );
    },
  },
  {
    name: 'concurrent increments of counters lose nothing',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'n', '0');
      const increments = 25;
      const writers = 8;
      const increment = async (): Promise<void> => {
        let current = expectOutcome(await storage.get('n'), 'found').item;
        for (;;) {
          const next = String(Number(text(current.value)) + 1);
          const result = await storage.compareAndWrite('n', current, bytes(next));
          if (result.outcome === 'ok') return;
          current = result.current!;
        }
      };
      await Promise.all(
        Array.from({ length: writers }, async () => {
          for (let i = 0; i < increments; i++) await increment();
        }),
      );
      expectEqual(await readText(storage, 'n'), String(increments * writers));
    },
  },
  {
    name: 'of writes that expect the same revision exactly one succeeds',
    async run(context) {
      const storage = await context.open();
      const revision = await put(storage, 'a', 'start');
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => storage.compareAndWrite('a', seenAt(revision), bytes(`writer-${i}`))),
      );
      const winners = results.flatMap((result, i) => (result.outcome === 'ok' ? [`writer-${i}`] : []));
      expectEqual(winners.length, 1, 'winners');
      expectEqual(await readText(storage, 'a'), winners[0]);
    },
  },
];
