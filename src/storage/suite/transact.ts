/** Conformance: transactions. */

import { LIMITS, type Transaction } from '../embedded-storage.ts';
import { expectEqual, expectOutcome, expectStorageError, expectTrue } from '../suite-assert.ts';
import { bytes, embedded, keysOf, lines, overwrite, put, Recorder, readText, type SuiteCase } from './context.ts';

export const transactCases: readonly SuiteCase[] = [
  {
    name: 'the writes of a transaction share one revision and become visible together',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const a = await put(storage, 'a', 'old');
      const b = await put(storage, 'b', 'old');
      const result = expectOutcome(
        await storage.transact({
          checks: [
            { key: 'a', revision: a },
            { key: 'c', revision: 0 },
          ],
          writes: [
            { type: 'put', key: 'c', value: bytes('new') },
            { type: 'delete', key: 'b' },
            { type: 'put', key: 'a', value: bytes('new') },
          ],
        }),
        'ok',
      );
      expectTrue(result.changed && result.revision > b, 'a new revision');
      const now = expectOutcome(await storage.list({ prefix: '' }), 'ok');
      expectEqual(lines(now.items), [`a=new@${result.revision}/${a}`, `c=new@${result.revision}/${result.revision}`]);
      expectEqual(now.revision, result.revision);
      const past = expectOutcome(await storage.list({ prefix: '' }, { revision: b }), 'ok');
      expectEqual(lines(past.items), [`a=old@${a}/${a}`, `b=old@${b}/${b}`]);
    },
  },
  {
    name: 'a transaction whose check fails changes nothing and returns the state of every checked key',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const a = await put(storage, 'a', '1');
      const b = await put(storage, 'b', '2');
      const changed = await overwrite(storage, 'a', '3');
      const result = await storage.transact({
        checks: [
          { key: 'b', revision: b },
          { key: 'z', revision: 0 },
          { key: 'a', revision: a },
        ],
        writes: [
          { type: 'put', key: 'n', value: bytes('new') },
          { type: 'delete', key: 'b' },
        ],
      });
      expectEqual(result, {
        outcome: 'conflict',
        current: [
          { key: 'b', value: bytes('2'), revision: b, created: b },
          undefined,
          { key: 'a', value: bytes('3'), revision: changed, created: a },
        ],
        revision: changed,
      });
      expectEqual(await keysOf(storage, ''), ['a', 'b']);
      expectEqual(await storage.revision(), changed);
    },
  },
  {
    name: 'a check for a missing key fails if the key exists, and a check for a revision fails if it does not',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const revision = await put(storage, 'a', '1');
      const attempt = (key: string, at: number) =>
        storage.transact({
          checks: [{ key, revision: at }],
          writes: [{ type: 'put', key: 'w', value: bytes('x') }],
        });
      expectOutcome(await attempt('a', 0), 'conflict');
      expectOutcome(await attempt('b', revision), 'conflict');
      expectEqual(await readText(storage, 'w'), undefined);
      expectOutcome(await attempt('b', 0), 'ok');
      expectEqual(await readText(storage, 'w'), 'x');
    },
  },
  {
    name: 'a transaction that changes nothing takes no revision',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      await put(storage, 'a', 'same');
      const revision = await put(storage, 'b', 'x');
      const watcher = Recorder.start(storage, '', { after: revision });
      const nothing: Transaction[] = [
        { checks: [], writes: [] },
        { checks: [{ key: 'b', revision }], writes: [] },
        {
          checks: [],
          writes: [
            { type: 'put', key: 'a', value: bytes('same') },
            { type: 'delete', key: 'missing' },
          ],
        },
      ];
      for (const transaction of nothing) {
        expectEqual(await storage.transact(transaction), { outcome: 'ok', revision, changed: false });
      }
      expectEqual(await storage.revision(), revision);
      await watcher.caughtUp(storage);
      expectEqual(watcher.lines, []);
    },
  },
  {
    name: 'the no-op writes of a transaction that changes something leave their keys as they are',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const a = await put(storage, 'a', 'same');
      const watcher = Recorder.start(storage, '', { after: a });
      const { revision } = expectOutcome(
        await storage.transact({
          checks: [],
          writes: [
            { type: 'put', key: 'a', value: bytes('same') },
            { type: 'put', key: 'b', value: bytes('new') },
            { type: 'delete', key: 'missing' },
          ],
        }),
        'ok',
      );
      expectEqual(expectOutcome(await storage.get('a'), 'found').item.revision, a);
      await watcher.caughtUp(storage);
      expectEqual(watcher.lines, [`put b=new@${revision}/${revision} was -`]);
    },
  },
  {
    name: 'concurrent transfers between accounts keep the sum',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const accounts = ['acc/a', 'acc/b', 'acc/c'];
      for (const key of accounts) await put(storage, key, '100');
      const transfer = async (from: string, to: string, amount: number): Promise<void> => {
        for (;;) {
          const source = expectOutcome(await storage.get(from), 'found').item;
          const target = expectOutcome(await storage.get(to), 'found').item;
          const sum = (value: Uint8Array, change: number): Uint8Array =>
            bytes(String(Number(new TextDecoder().decode(value)) + change));
          const result = await storage.transact({
            checks: [source, target].map(({ key, revision }) => ({ key, revision })),
            writes: [
              { type: 'put', key: from, value: sum(source.value, -amount) },
              { type: 'put', key: to, value: sum(target.value, amount) },
            ],
          });
          if (result.outcome === 'ok') return;
        }
      };
      await Promise.all(
        Array.from({ length: 30 }, (_, i) => transfer(accounts[i % 3]!, accounts[(i + 1 + (i % 2)) % 3]!, 1 + (i % 5))),
      );
      let total = 0;
      for (const key of accounts) total += Number(await readText(storage, key));
      expectEqual(total, 300);
    },
  },
  {
    name: 'a transaction may write each key once',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const before = await storage.revision();
      await expectStorageError(
        () =>
          storage.transact({
            checks: [],
            writes: [
              { type: 'put', key: 'a', value: bytes('1') },
              { type: 'delete', key: 'a' },
            ],
          }),
        'InvalidArgument',
      );
      expectEqual(await storage.revision(), before);
    },
  },
  {
    name: 'a transaction may have as many checks and writes as the limit allows, and no more',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const checks = Array.from({ length: 28 }, (_, i) => ({ key: `c/${i}`, revision: 0 }));
      const writes = (count: number) =>
        Array.from({ length: count }, (_, i) => ({ type: 'put', key: `w/${i}`, value: bytes('x') }) as const);
      const room = LIMITS.transactionOperations - checks.length;
      await expectStorageError(() => storage.transact({ checks, writes: writes(room + 1) }), 'InvalidArgument');
      expectEqual(await keysOf(storage, ''), []);
      const { revision } = expectOutcome(await storage.transact({ checks, writes: writes(room) }), 'ok');
      const { items } = expectOutcome(await storage.list({ prefix: '' }), 'ok');
      expectEqual(items.length, room);
      expectTrue(
        items.every((item) => item.revision === revision),
        'all items share the revision',
      );
    },
  },
];
