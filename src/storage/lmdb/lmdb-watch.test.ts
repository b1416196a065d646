import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { Storage, StorageEvent } from '../storage.ts';
import { openLmdbStorage } from './open.ts';
import { makeFolder } from './test-folder.fixtures.ts';

/** The calls that a sink gets until its watch has reached the current revision. */
async function missed(storage: Storage, prefix: string, after: number): Promise<readonly StorageEvent[]> {
  const found: StorageEvent[] = [];
  const current = await storage.revision();
  await new Promise<void>((resolve, reject) => {
    const watch = storage.watch(
      { ranges: [{ prefix }], from: { after } },
      {
        events: (events) => {
          found.push(...events);
        },
        progress: (revision) => {
          if (revision < current) return;
          watch.stop();
        },
        end: (end) => (end.reason === 'stopped' ? resolve() : reject(new Error(end.reason))),
      },
    );
    watch.requestProgress();
  });
  return found;
}

function told(events: readonly StorageEvent[]): unknown[] {
  return events.map((event) => ({
    ...event,
    ...(event.type === 'put' ? { value: decodeUtf8(event.value) } : {}),
    previous: event.previous === undefined ? undefined : { ...event.previous, value: decodeUtf8(event.previous.value) },
  }));
}

describe('catching up', () => {
  it('by the records of a few keys delivers the same events as a watch that was never behind', async () => {
    const operation = fc.record({
      key: fc.constantFrom('few/a', 'few/b', 'few/c'),
      kind: fc.constantFrom('put', 'put', 'delete'),
      others: fc.nat({ max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 1, maxLength: 12 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (operations, share) => {
          const storage = await openLmdbStorage({ folder: makeFolder(onTestFinished) });
          const live: StorageEvent[] = [];
          const sink = {
            events: (events: readonly StorageEvent[]) => void live.push(...events),
            progress() {},
            end() {},
          };
          storage.watch({ ranges: [{ prefix: 'few/' }], from: 'now' }, sink);
          const write = async (key: string, value: string): Promise<void> => {
            await storage.transact({ checks: [], writes: [{ type: 'put', key, value: encodeUtf8(value) }] });
          };
          for (const [i, { key, kind, others }] of operations.entries()) {
            if (kind === 'put') await write(key, `${i}`);
            else await storage.delete(key);
            for (let other = 0; other < others; other++) await write(`many/${other}`, `${i} ${other}`);
          }
          const after = Math.max(storage.horizon(), Math.floor((await storage.revision()) * share));
          const expected = live.filter(({ revision }) => revision > after);
          expect(told(await missed(storage, 'few/', after))).toEqual(told(expected));
          await storage.stop();
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('preparation', () => {
  it('a sink gets the events of a commit while it is synced, and the same objects when it is durable', async () => {
    const storage = await openLmdbStorage({ folder: makeFolder(onTestFinished) });
    onTestFinished(() => storage.stop());
    const calls: [step: string, revision: number, events: readonly StorageEvent[]][] = [];
    const record = (step: string) => (events: readonly StorageEvent[]) =>
      void calls.push([step, storage.revision() as number, events]);
    const none = { progress() {}, end() {} };
    storage.watch(
      { ranges: [{ prefix: 'a/' }], from: 'now' },
      { ...none, prepare: record('prepare'), events: record('events') },
    );
    const plain: StorageEvent[] = [];
    storage.watch(
      { ranges: [{ prefix: '' }], from: 'now' },
      { ...none, events: (events) => void plain.push(...events) },
    );
    const { revision } = await storage.create('a/1', encodeUtf8('one'));
    await storage.create('b/1', encodeUtf8('other'));
    await storage.delete('a/1');
    expect(calls.map(([step, seen, events]) => [step, seen, events.map(({ type, key }) => `${type} ${key}`)])).toEqual([
      ['prepare', revision - 1, ['put a/1']],
      ['events', revision, ['put a/1']],
      ['prepare', revision + 1, ['delete a/1']],
      ['events', revision + 2, ['delete a/1']],
    ]);
    expect(calls[1]?.[2][0]).toBe(calls[0]?.[2][0]);
    expect(calls[3]?.[2][0]).toBe(calls[2]?.[2][0]);
    expect(plain.map(({ key }) => key)).toEqual(['a/1', 'b/1', 'a/1']);
  });

  it('a sink that throws from it ends, and the commit stands', async () => {
    const storage = await openLmdbStorage({ folder: makeFolder(onTestFinished) });
    onTestFinished(() => storage.stop());
    const calls: string[] = [];
    storage.watch(
      { ranges: [{ prefix: '' }], from: 'now' },
      {
        prepare: () => {
          throw new Error('cannot prepare');
        },
        events: () => void calls.push('events'),
        progress() {},
        end: (end) => void calls.push(end.reason === 'failed' ? end.error.message : end.reason),
      },
    );
    expect(await storage.create('a', encodeUtf8('one'))).toMatchObject({ outcome: 'ok' });
    expect(calls).toEqual(['a watch sink threw: cannot prepare']);
  });
});
