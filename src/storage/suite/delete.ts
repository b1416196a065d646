/** Conformance: delete. */
import { expectEqual, expectOutcome, expectTrue } from '../suite-assert.ts';
import { bytes, overwrite, put, readText, type SuiteCase, seenAt } from './context.ts';

export const deleteCases: readonly SuiteCase[] = [
  {
    name: 'delete removes a key at a new revision and returns its last state',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'one');
      const changed = await overwrite(storage, 'a', 'two');
      const result = expectOutcome(await storage.delete('a'), 'ok');
      expectTrue(result.revision > changed, 'the deletion has a revision of its own');
      expectEqual(result.deleted, { key: 'a', value: bytes('two'), revision: changed, created });
      expectEqual(await storage.revision(), result.revision);
      expectEqual(await storage.get('a'), { outcome: 'missing', revision: result.revision });
    },
  },
  {
    name: 'delete of a missing key is answered as missing and takes no revision',
    async run(context) {
      const storage = await context.open();
      const revision = await put(storage, 'a/b', 'x');
      expectEqual(await storage.delete('a'), { outcome: 'missing', revision });
      expectEqual(await storage.delete('a', { expected: revision }), { outcome: 'missing', revision });
      expectEqual(await storage.revision(), revision);
      expectEqual(await readText(storage, 'a/b'), 'x');
    },
  },
  {
    name: 'delete with an expected revision takes place only at that revision',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'one');
      const changed = await overwrite(storage, 'a', 'two');
      const current = { key: 'a', value: bytes('two'), revision: changed, created };
      expectEqual(await storage.delete('a', { expected: created }), {
        outcome: 'conflict',
        current,
        revision: changed,
      });
      expectEqual(await readText(storage, 'a'), 'two');
      expectEqual(await storage.revision(), changed);
      expectEqual(expectOutcome(await storage.delete('a', { expected: changed }), 'ok').deleted, current);
    },
  },
  {
    name: 'of concurrent deletes exactly one succeeds, and the others find nothing',
    async run(context) {
      const storage = await context.open();
      const revision = await put(storage, 'a', 'x');
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => storage.delete('a', i % 2 === 0 ? {} : { expected: revision })),
      );
      expectEqual(results.filter((result) => result.outcome === 'ok').length, 1, 'winners');
      expectEqual(results.filter((result) => result.outcome === 'missing').length, 19, 'losers');
    },
  },
  {
    name: 'of a delete and a write that expect the same revision exactly one succeeds',
    async run(context) {
      for (const deleteFirst of [true, false]) {
        const storage = await context.open();
        const revision = await put(storage, 'a', 'x');
        const remove = () => storage.delete('a', { expected: revision });
        const write = () => storage.compareAndWrite('a', seenAt(revision), bytes('y'));
        const [first, second] = await Promise.all(deleteFirst ? [remove(), write()] : [write(), remove()]);
        expectTrue((first.outcome === 'ok') !== (second.outcome === 'ok'), 'exactly one wins');
        const deleteWon = (first.outcome === 'ok') === deleteFirst;
        expectEqual(await readText(storage, 'a'), deleteWon ? undefined : 'y');
      }
    },
  },
];
