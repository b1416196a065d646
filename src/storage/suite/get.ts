/** Conformance: get, with and without revisions. */
import { expectEqual, expectOutcome, expectTrue } from '../suite-assert.ts';
import { bytes, overwrite, put, remove, type SuiteCase, text } from './context.ts';

export const getCases: readonly SuiteCase[] = [
  {
    name: 'get of a missing key is answered as missing, with the revision of the state',
    async run(context) {
      const storage = await context.open();
      const revision = await put(storage, 'a/b', 'x');
      for (const key of ['a', 'a/', 'a/b/', 'a/bb', 'b'])
        expectEqual(await storage.get(key), { outcome: 'missing', revision });
    },
  },
  {
    name: 'get returns the revision of the store beside the item',
    async run(context) {
      const storage = await context.open();
      const own = await put(storage, 'a', 'x');
      const other = await put(storage, 'b', 'y');
      const result = expectOutcome(await storage.get('a'), 'found');
      expectEqual([result.item.revision, result.revision], [own, other]);
    },
  },
  {
    name: 'get at a revision sees exactly the state of that revision',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const first = await put(storage, 'a', 'one');
      const second = await overwrite(storage, 'a', 'two');
      const other = await put(storage, 'b', 'x');
      const gone = await remove(storage, 'a');
      const again = await put(storage, 'a', 'three');
      const at = async (revision: number): Promise<string> => {
        const result = await storage.get('a', { revision });
        if (result.outcome === 'missing') return `missing@${result.revision}`;
        const { item, revision: state } = expectOutcome(result, 'found');
        return `${text(item.value)} ${item.revision} ${item.created} @${state}`;
      };
      expectEqual(await at(base), `missing@${base}`);
      expectEqual(await at(first), `one ${first} ${first} @${first}`);
      expectEqual(await at(second), `two ${second} ${first} @${second}`);
      expectEqual(await at(other), `two ${second} ${first} @${other}`);
      expectEqual(await at(gone), `missing@${gone}`);
      expectEqual(await at(again), `three ${again} ${again} @${again}`);
    },
  },
  {
    name: 'get at a revision that is not reached is answered as future and does not wait',
    async run(context) {
      const storage = await context.open();
      const current = await put(storage, 'a', 'one');
      expectEqual(await storage.get('a', { revision: current + 1 }), { outcome: 'future', current });
      expectEqual(await storage.get('a', { atLeast: current + 1 }), { outcome: 'future', current });
      expectEqual(await storage.list({ prefix: '' }, { revision: current + 1 }), { outcome: 'future', current });
      expectEqual(await storage.list({ prefix: '' }, { atLeast: current + 1 }), { outcome: 'future', current });
      expectEqual(await storage.list({ prefix: '' }, { atLeast: current + 1, countOnly: true }), {
        outcome: 'future',
        current,
      });
    },
  },
  {
    name: 'get with atLeast returns a state at or above that revision',
    async run(context) {
      const storage = await context.open();
      const first = await put(storage, 'a', 'one');
      const second = await overwrite(storage, 'a', 'two');
      for (const atLeast of [0, 1, first, second]) {
        const result = await storage.get('a', { atLeast });
        if (result.outcome === 'missing') expectTrue(atLeast < first && result.revision < first, 'an older state');
        else {
          const found = expectOutcome(result, 'found');
          expectTrue(found.revision >= atLeast, 'the state is fresh enough');
          expectEqual(text(found.item.value), found.revision >= second ? 'two' : 'one');
        }
      }
    },
  },
  {
    name: 'a read that begins after a write was acknowledged sees it, whichever caller wrote it',
    async run(context) {
      const storage = await context.open();
      for (let i = 0; i < 50; i++) {
        const revision = await put(storage, `k/${i}`, 'x');
        const read = expectOutcome(await storage.get(`k/${i}`), 'found');
        expectTrue(read.revision >= revision && read.item.revision === revision, 'the write is seen');
        expectTrue((await storage.revision()) >= revision, 'revision() is not behind');
      }
    },
  },
  {
    name: 'a returned value does not change when the key is written again',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'a', 'one');
      const { item } = expectOutcome(await storage.get('a'), 'found');
      await overwrite(storage, 'a', 'two');
      await remove(storage, 'a');
      for (let i = 0; i < 20; i++) await put(storage, `b/${i}`, 'other'.repeat(100));
      expectEqual(item.value, bytes('one'));
    },
  },
];
