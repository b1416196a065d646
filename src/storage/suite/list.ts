/** Conformance: list. */
import { expectEqual, expectOutcome, expectTrue } from '../suite-assert.ts';
import { embedded, keysOf, lines, overwrite, put, remove, type SuiteCase } from './context.ts';

export const listCases: readonly SuiteCase[] = [
  {
    name: 'list is recursive, in key order, with each item as get shows it',
    async run(context) {
      const storage = await context.open();
      const keys = ['p/c', 'p/a/x/1', 'p/a', 'p/b/2', 'q/a', 'p/a/x'];
      for (const key of keys) await put(storage, key, `value of ${key}`);
      const last = await overwrite(storage, 'p/b/2', 'changed');
      const result = expectOutcome(await storage.list({ prefix: 'p/' }), 'ok');
      expectEqual(
        result.items.map((item) => item.key),
        ['p/a', 'p/a/x', 'p/a/x/1', 'p/b/2', 'p/c'],
      );
      for (const item of result.items) expectEqual(expectOutcome(await storage.get(item.key), 'found').item, item);
      expectEqual([result.revision, result.next, result.remaining], [last, undefined, 0]);
    },
  },
  {
    name: 'a prefix matches exactly the keys that begin with it',
    async run(context) {
      const storage = await context.open();
      const keys = ['a', 'a/', 'a/b', 'a/b!', 'a/b/', 'a/b/c', 'a/b/~', 'a/b0', 'a/bc', 'a/c', 'a0', 'b'];
      for (const key of [...keys].reverse()) await put(storage, key, 'x');
      for (const prefix of ['', 'a', 'a/', 'a/b', 'a/b/', 'a/b/c', 'a/b0', 'a/bc', 'a/bcd', 'b', 'c', '0', 'z/']) {
        expectEqual(
          await keysOf(storage, prefix),
          keys.filter((key) => key.startsWith(prefix)),
          `keys of ${JSON.stringify(prefix)}`,
        );
        const count = expectOutcome(await storage.list({ prefix }, { countOnly: true }), 'ok');
        expectEqual([count.items, count.remaining], [[], keys.filter((key) => key.startsWith(prefix)).length]);
      }
    },
  },
  {
    name: 'keys are in the order of their code units, also beyond ASCII',
    async run(context) {
      const storage = await context.open();
      const keys = [
        'o/\u0001\u0002',
        'o/ ',
        'o/-',
        'o/.',
        'o//',
        'o/0',
        'o/A',
        'o/Z',
        'o/a',
        'o/a\u0001\u0001b',
        'o/a/b',
        'o/aa',
        'o/z',
        'o/~',
        'o/\u007f',
        'o/\u0080',
        'o/é',
        'o/ÿ',
        'o/Ā',
        'o/\u07ff',
        'o/\u0800',
        'o/日',
        'o/日本',
        'o/語',
        'o/\ud7ff00d7ff',
        'o/\ud7ff00e000',
        'o/\ud7ff00ffff',
        'o/\ud7ff01f6a2',
      ];
      for (const key of [...keys].reverse()) await put(storage, key, key);
      expectEqual(await keysOf(storage, 'o/'), keys);
      expectEqual(await keysOf(storage, 'o/日'), ['o/日', 'o/日本']);
      expectEqual(await keysOf(storage, 'o/\ud7ff00ffff'), ['o/\ud7ff00ffff']);
      const start = expectOutcome(await storage.list({ prefix: 'o/', start: 'o/é' }, { limit: 3 }), 'ok');
      expectEqual(
        start.items.map((item) => item.key),
        ['o/é', 'o/ÿ', 'o/Ā'],
      );
    },
  },
  {
    name: 'pages of every size join to the whole list, and each has the exact number of keys that follow',
    async run(context) {
      const storage = await context.open();
      const keys = Array.from({ length: 23 }, (_, i) => `p/${String(i).padStart(2, '0')}`);
      for (const key of keys) await put(storage, key, key);
      await put(storage, 'o', 'before');
      await put(storage, 'q', 'after');
      for (const limit of [1, 2, 7, 22, 23, 24, 100]) {
        const found: string[] = [];
        let start: string | undefined;
        do {
          const page = expectOutcome(
            await storage.list({ prefix: 'p/', ...(start === undefined ? {} : { start }) }, { limit }),
            'ok',
          );
          expectTrue(page.items.length <= limit, 'a page is not longer than its limit');
          found.push(...page.items.map((item) => item.key));
          expectEqual(page.remaining, keys.length - found.length, `remaining with limit ${limit}`);
          expectEqual(page.next, keys[found.length], `next with limit ${limit}`);
          start = page.next;
        } while (start !== undefined);
        expectEqual(found, keys);
      }
      expectEqual(await keysOf(storage, 'p/', { limit: 0 }), keys);
    },
  },
  {
    name: 'start is inclusive, may be a missing key, and never widens the range',
    async run(context) {
      const storage = await context.open();
      for (const key of ['o/x', 'p/b', 'p/d', 'p/f', 'q/a']) await put(storage, key, 'x');
      const from = async (start: string, prefix = 'p/'): Promise<unknown> => {
        const page = expectOutcome(await storage.list({ prefix, start }, { limit: 2 }), 'ok');
        return [page.items.map((item) => item.key), page.next, page.remaining];
      };
      expectEqual(await from('p/b'), [['p/b', 'p/d'], 'p/f', 1]);
      expectEqual(await from('p/c'), [['p/d', 'p/f'], undefined, 0]);
      expectEqual(await from('a'), [['p/b', 'p/d'], 'p/f', 1]);
      expectEqual(await from('p/f'), [['p/f'], undefined, 0]);
      expectEqual(await from('p/g'), [[], undefined, 0]);
      expectEqual(await from('q/a'), [[], undefined, 0]);
      expectEqual(await from('z'), [[], undefined, 0]);
      expectEqual(await from('p/e', ''), [['p/f', 'q/a'], undefined, 0]);
      const count = expectOutcome(await storage.list({ prefix: 'p/', start: 'p/c' }, { countOnly: true }), 'ok');
      expectEqual([count.items, count.remaining], [[], 2]);
      const below = expectOutcome(await storage.list({ prefix: 'p/', start: 'o' }, { countOnly: true }), 'ok');
      expectEqual(below.remaining, 3);
    },
  },
  {
    name: 'pages at one revision are one state while others write',
    async run(context) {
      const storage = await context.open();
      for (let i = 0; i < 30; i++) await put(storage, `p/${String(i).padStart(2, '0')}`, 'old');
      const whole = expectOutcome(await storage.list({ prefix: 'p/' }), 'ok');
      const found: string[] = [];
      let start: string | undefined;
      let round = 0;
      do {
        const range = { prefix: 'p/', ...(start === undefined ? {} : { start }) };
        const page = expectOutcome(await storage.list(range, { limit: 4, revision: whole.revision }), 'ok');
        expectEqual(page.revision, whole.revision);
        found.push(...lines(page.items));
        expectEqual(page.remaining, 30 - found.length);
        start = page.next;
        // Changes before, at and after the start of the next page.
        await overwrite(storage, `p/${String((round * 7) % 30).padStart(2, '0')}`, `new ${round}`);
        await put(storage, `p/${String(round * 4).padStart(2, '0')}-new`, 'new');
        if (start !== undefined) await storage.delete(start);
        round++;
      } while (start !== undefined);
      expectEqual(found, lines(whole.items));
    },
  },
  {
    name: 'list at an exact revision shows every past state, including deletions and re-creations',
    async run(context) {
      const storage = await context.open();
      const states: { revision: number; expected: string[] }[] = [];
      const note = async (): Promise<void> => {
        const now = expectOutcome(await storage.list({ prefix: 'p/' }), 'ok');
        states.push({ revision: now.revision, expected: lines(now.items) });
      };
      for (let i = 0; i < 60; i++) {
        const key = `p/${(i * 7) % 10}`;
        if (i % 4 === 3) await storage.delete(key);
        else await overwrite(storage, key, `v${i}`);
        if (i % 9 === 0) await put(storage, `q/${i}`, 'elsewhere');
        await note();
      }
      for (const { revision, expected } of states) {
        const past = expectOutcome(await storage.list({ prefix: 'p/' }, { revision }), 'ok');
        expectEqual(lines(past.items), expected, `state at ${revision}`);
        expectEqual(past.revision, revision);
        const page = expectOutcome(await storage.list({ prefix: 'p/' }, { revision, limit: 3 }), 'ok');
        expectEqual(lines(page.items), expected.slice(0, 3));
        expectEqual(page.remaining, Math.max(0, expected.length - 3), `remaining at ${revision}`);
        const count = expectOutcome(await storage.list({ prefix: 'p/' }, { revision, countOnly: true }), 'ok');
        expectEqual(count.remaining, expected.length, `count at ${revision}`);
      }
    },
  },
  {
    name: 'a range whose keys are all deleted is empty',
    async run(context) {
      const storage = await context.open();
      await put(storage, 'p/a', 'x');
      const revision = await remove(storage, 'p/a');
      expectEqual(await storage.list({ prefix: 'p/' }), {
        outcome: 'ok',
        items: [],
        revision,
        next: undefined,
        remaining: 0,
      });
    },
  },
  {
    name: 'a list shows one state, however many writers there are',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      // Every transaction changes both keys. A list in which the two values differ would mix two states.
      const value = (i: number): Uint8Array => Uint8Array.of(i);
      const pair = (i: number) => ['t/a', 't/z'].map((key) => ({ type: 'put', key, value: value(i) }) as const);
      const writing = Promise.all(
        Array.from({ length: 100 }, (_, i) => storage.transact({ checks: [], writes: pair(i) })),
      );
      let done = false;
      void writing.then(() => {
        done = true;
      });
      for (let i = 0; i < 500 && !done; i++) {
        const { items } = expectOutcome(await storage.list({ prefix: 't/' }), 'ok');
        expectTrue(items.length === 0 || items.length === 2, 'both keys or none are there');
        if (items.length === 2) expectEqual(items[0]!.value, items[1]!.value);
        await Promise.resolve();
      }
      await writing;
      expectEqual((await keysOf(storage, 't/')).length, 2);
    },
  },
];
