/** Conformance: invalid keys and exceeded limits. */

import { LIMITS } from '../embedded-storage.ts';
import { MAX_KEY_BYTES } from '../keys.ts';
import { expectEqual, expectOutcome, expectStorageError } from '../suite-assert.ts';
import { bytes, embedded, keysOf, Recorder, type SuiteCase, seenAt } from './context.ts';

const UNFIT = [
  '',
  'a\u0000b',
  'a/\ud83d\ude00',
  '\ud800',
  'a\uffff',
  'a\u0001',
  'a\ud7ff',
  '\ud7ff00d800',
  'a'.repeat(MAX_KEY_BYTES + 1),
  'é'.repeat(MAX_KEY_BYTES / 2 + 1),
];

export const limitCases: readonly SuiteCase[] = [
  {
    name: 'an invalid key is InvalidArgument for every method, and nothing is written',
    async run(context) {
      const storage = await context.open();
      const before = await storage.revision();
      const sink = new Recorder();
      for (const key of UNFIT) {
        await expectStorageError(() => storage.get(key), 'InvalidArgument');
        await expectStorageError(() => storage.create(key, bytes('x')), 'InvalidArgument');
        await expectStorageError(() => storage.compareAndWrite(key, undefined, bytes('x')), 'InvalidArgument');
        await expectStorageError(() => storage.delete(key), 'InvalidArgument');
        if (key === '') continue;
        await expectStorageError(() => storage.list({ prefix: key }), 'InvalidArgument');
        await expectStorageError(() => storage.list({ prefix: '', start: key }), 'InvalidArgument');
        await expectStorageError(
          () => void storage.watch({ ranges: [{ prefix: key }], from: 'now' }, sink),
          'InvalidArgument',
        );
      }
      expectEqual(await keysOf(storage, ''), []);
      expectEqual(await storage.revision(), before);
      expectEqual(sink.calls, []);
    },
  },
  {
    name: 'an invalid key is InvalidArgument for transactions, and nothing is written',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      for (const key of UNFIT) {
        await expectStorageError(
          () => storage.transact({ checks: [{ key, revision: 0 }], writes: [] }),
          'InvalidArgument',
        );
        await expectStorageError(
          () =>
            storage.transact({
              checks: [],
              writes: [
                { type: 'put', key: 'fit', value: bytes('x') },
                { type: 'put', key, value: bytes('x') },
              ],
            }),
          'InvalidArgument',
        );
        await expectStorageError(
          () => storage.transact({ checks: [], writes: [{ type: 'delete', key }] }),
          'InvalidArgument',
        );
      }
      expectEqual(await keysOf(storage, ''), []);
      expectEqual(await storage.revision(), 1);
    },
  },
  {
    name: 'a limit that is not an integer is InvalidArgument',
    async run(context) {
      const storage = await context.open();
      for (const limit of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expectStorageError(() => storage.list({ prefix: '' }, { limit }), 'InvalidArgument');
      }
    },
  },
  {
    name: 'the longest key works with every method',
    async run(context) {
      const storage = await context.open();
      const base = await storage.revision();
      const room = context.maxKeyBytes ?? MAX_KEY_BYTES;
      const ascii = `a/${'k'.repeat(room - 2)}`;
      const wide = `b/${'日'.repeat(Math.floor((room - 2) / 3))}`;
      for (const key of [ascii, wide]) {
        const { revision } = expectOutcome(await storage.create(key, bytes('x')), 'ok');
        expectOutcome(await storage.get(key), 'found');
        expectEqual(await keysOf(storage, key), [key]);
        expectOutcome(await storage.compareAndWrite(key, seenAt(revision), bytes('y')), 'ok');
      }
      const watcher = Recorder.start(storage, '', { after: base });
      await watcher.caughtUp(storage);
      expectEqual(
        watcher.seen.map((event) => event.key),
        [ascii, ascii, wide, wide],
      );
      expectOutcome(await storage.delete(wide), 'ok');
      expectEqual(await keysOf(storage, ''), [ascii]);
    },
  },
  {
    name: 'the largest value works, one byte more is InvalidArgument',
    async run(context) {
      const storage = await context.open();
      const room = context.maxValueBytes ?? storage.limits.valueBytes;
      const largest = new Uint8Array(room).fill(7);
      const { revision } = expectOutcome(await storage.create('a', largest), 'ok');
      expectEqual(expectOutcome(await storage.get('a'), 'found').item.value.byteLength, room);
      const tooLarge = new Uint8Array(storage.limits.valueBytes + 1);
      await expectStorageError(() => storage.create('b', tooLarge), 'InvalidArgument');
      await expectStorageError(() => storage.compareAndWrite('a', seenAt(revision), tooLarge), 'InvalidArgument');
      expectEqual(await keysOf(storage, ''), ['a']);
      expectEqual(await storage.revision(), revision);
    },
  },
  {
    name: 'the values of a transaction may not exceed the limit together',
    needs: 'embedded',
    async run(context) {
      const storage = embedded(await context.open());
      const half = new Uint8Array(Math.floor(LIMITS.transactionBytes / 2) + 1);
      await expectStorageError(
        () =>
          storage.transact({
            checks: [],
            writes: ['b', 'c'].map((key) => ({ type: 'put', key, value: half }) as const),
          }),
        'InvalidArgument',
      );
      expectEqual(await keysOf(storage, ''), []);
    },
  },
];
