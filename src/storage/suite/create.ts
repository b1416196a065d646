/** Conformance: create, and the state of a fresh store. */
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import { bytes, embedded, keysOf, overwrite, put, Recorder, readText, remove, type SuiteCase } from './context.ts';

export const createCases: readonly SuiteCase[] = [
  {
    name: 'a fresh store is empty, and its horizon is not above its revision',
    async run(context) {
      const storage = await context.open();
      const revision = await storage.revision();
      expectTrue(Number.isSafeInteger(revision) && revision > 0, 'the revision is a positive integer');
      expectTrue(storage.horizon() <= revision, 'the current revision can be read');
      const state = { outcome: 'ok', items: [], revision, next: undefined, remaining: 0 };
      expectEqual(await storage.list({ prefix: '' }), state);
      expectEqual(await storage.get('a', { revision }), { outcome: 'missing', revision });
      expectTrue(storage.driver.length > 0, 'the driver has a name');
    },
  },
  {
    name: 'a fresh embedded store is at revision 1',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      expectEqual(await storage.revision(), 1);
      expectEqual(storage.horizon(), 1);
      expectEqual(storage.oldestRevision(), 1);
    },
  },
  {
    name: 'create writes a key that does not exist, at a new revision',
    async run(context) {
      const storage = await context.open();
      const before = await storage.revision();
      const result = expectOutcome(await storage.create('s/a', bytes('one')), 'ok');
      expectTrue(result.changed, 'the create changed something');
      expectTrue(result.revision > before, 'the revision grew');
      expectEqual(await storage.revision(), result.revision, 'the revision of the store');
      expectEqual(await storage.get('s/a'), {
        outcome: 'found',
        item: { key: 's/a', value: bytes('one'), revision: result.revision, created: result.revision },
        revision: result.revision,
      });
    },
  },
  {
    name: 'create of a key that exists is a conflict with its current state, and changes nothing',
    async run(context) {
      const storage = await context.open();
      const created = await put(storage, 'a', 'one');
      const changed = await overwrite(storage, 'a', 'two');
      const last = await put(storage, 'b', 'other');
      // Also for equal bytes: create is never a no-op.
      for (const value of ['two', 'three']) {
        expectEqual(await storage.create('a', bytes(value)), {
          outcome: 'conflict',
          current: { key: 'a', value: bytes('two'), revision: changed, created },
          revision: last,
        });
      }
      expectEqual(await storage.revision(), last);
      expectEqual(await readText(storage, 'a'), 'two');
    },
  },
  {
    name: 'a key that was deleted can be created again and has a new creation revision',
    async run(context) {
      const storage = await context.open();
      const first = await put(storage, 'a', 'one');
      const removed = await remove(storage, 'a');
      const second = await put(storage, 'a', 'one');
      expectTrue(first < removed && removed < second, 'revisions grow');
      const { item } = expectOutcome(await storage.get('a'), 'found');
      expectEqual([item.revision, item.created], [second, second]);
    },
  },
  {
    name: 'followedBy is written over a created key at the next revision, and watchers get both events',
    async run(context) {
      const storage = await context.open();
      const watcher = Recorder.start(storage, 'p/', 'now', { previous: true });
      const gone = await put(storage, 'p/again', 'x');
      await remove(storage, 'p/again');
      for (const key of ['p/a', 'p/again']) {
        const created = expectOutcome(await storage.create(key, bytes('one'), { followedBy: bytes('two') }), 'ok');
        const { revision } = created;
        expectTrue(created.changed && revision > gone, 'it was created');
        expectEqual(await storage.revision(), revision + 1, 'the revision of the store');
        const { item } = expectOutcome(await storage.get(key), 'found');
        expectEqual(item, { key, value: bytes('two'), revision: revision + 1, created: revision });
        const before = expectOutcome(await storage.get(key, { revision }), 'found');
        expectEqual(before.item.value, bytes('one'), 'the first value, at its revision');
        await watcher.caughtUp(storage);
        expectEqual(watcher.lines.slice(-2), [
          `put ${key}=one@${revision}/${revision} was -`,
          `put ${key}=two@${revision + 1}/${revision} was ${key}=one@${revision}/${revision}`,
        ]);
      }
    },
  },
  {
    name: 'followedBy is not written after a create that fails, and equal bytes are not written a second time',
    async run(context) {
      const storage = await context.open();
      const first = await put(storage, 'a', 'one');
      const refused = expectOutcome(await storage.create('a', bytes('x'), { followedBy: bytes('y') }), 'conflict');
      expectEqual(refused.current?.value, bytes('one'));
      expectEqual(await storage.revision(), first);
      const same = expectOutcome(await storage.create('b', bytes('x'), { followedBy: bytes('x') }), 'ok');
      expectEqual(await readText(storage, 'b'), 'x');
      expectOutcome(
        await storage.compareAndWrite('b', expectOutcome(await storage.get('b'), 'found').item, bytes('z')),
        'ok',
      );
      expectTrue(same.changed, 'it was created');
      await expectStorageError(
        () => storage.create('c', bytes('x'), { followedBy: bytes('y'), ttlMs: 5 }),
        'InvalidArgument',
      );
    },
  },
  {
    name: 'of concurrent creates of one key exactly one succeeds',
    async run(context) {
      const storage = await context.open();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => storage.create('a', bytes(`writer-${i}`))),
      );
      const winners = results.flatMap((result, i) => (result.outcome === 'ok' ? [i] : []));
      expectEqual(winners.length, 1, 'winners');
      const { item } = expectOutcome(await storage.get('a'), 'found');
      expectEqual(item.value, bytes(`writer-${winners[0]}`));
      for (const result of results) if (result.outcome === 'conflict') expectEqual(result.current, item);
    },
  },
  {
    name: 'concurrent creates of many keys all succeed, each at a revision of its own',
    async run(context) {
      const storage = await context.open();
      const keys = Array.from({ length: 100 }, (_, i) => `k/${String(i).padStart(3, '0')}`);
      const revisions = await Promise.all(keys.map((key) => put(storage, key, key)));
      expectEqual(new Set(revisions).size, 100, 'distinct revisions');
      expectEqual(await keysOf(storage, 'k/'), keys);
      expectEqual(await storage.revision(), Math.max(...revisions));
    },
  },
  {
    name: 'an empty value and every byte are stored unchanged',
    async run(context) {
      const storage = await context.open();
      const every = Uint8Array.from({ length: 512 }, (_, i) => i % 256);
      await storage.create('empty', new Uint8Array(0));
      await storage.create('every', every.slice());
      expectEqual(expectOutcome(await storage.get('empty'), 'found').item.value, new Uint8Array(0));
      expectEqual(expectOutcome(await storage.get('every'), 'found').item.value, every);
    },
  },
  {
    name: 'a write is not visible before it is acknowledged, and completely visible afterwards',
    async run(context) {
      const storage = await context.open();
      const before = await storage.revision();
      let acknowledged = false;
      const write = storage.create('a', bytes('one')).then((result) => {
        acknowledged = true;
        return expectOutcome(result, 'ok').revision;
      });
      // No write is durable in the same turn.
      expectEqual(acknowledged, false);
      const early = storage.get('a');
      if (!(early instanceof Promise)) expectEqual(early, { outcome: 'missing', revision: before });
      const revision = await write;
      await early;
      expectOutcome(await storage.get('a'), 'found');
      expectTrue((await storage.revision()) >= revision, 'a read after the acknowledgement sees the write');
    },
  },
];
