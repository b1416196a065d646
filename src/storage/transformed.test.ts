import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { LIMITS } from './embedded-storage.ts';
import { isStorageError, StorageError } from './errors.ts';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { storageSuite } from './storage.suite.ts';
import { bytes, overwrite, put, Recorder, readText } from './suite/context.ts';
import { runSuiteCase, type SuiteDriver, skipReason } from './suite/run-case.ts';
import { asynchronous } from './transformed.fixtures.ts';
import { transformed } from './transformed.ts';
import { type ValueTransformer, valueEncoding } from './value-transformer.ts';

/** Reversible, bound to the key, and different every time: `<version>:<count>:<key>\n`, then the bytes XORed. */
function toy(version: string): ValueTransformer {
  let count = 0;
  const xor = (from: Uint8Array): Uint8Array => from.map((byte) => byte ^ 0x5a);
  return {
    toStorage(value, { key }) {
      const head = encodeUtf8(`${version}:${String(count++).padStart(8, '0')}:${key}\n`);
      const stored = new Uint8Array(head.length + value.length);
      stored.set(head);
      stored.set(xor(value), head.length);
      return stored;
    },
    fromStorage(stored, { key }) {
      const end = stored.indexOf(10);
      const [storedVersion, , storedKey] = decodeUtf8(stored.subarray(0, end)).split(':');
      if (storedKey !== key) throw new StorageError('Corrupt', 'the value belongs to another key', { key });
      return { value: xor(stored.subarray(end + 1)), stale: storedVersion !== version };
    },
  };
}

const room = LIMITS.valueBytes - 2000;
const drivers: readonly { name: string; driver: SuiteDriver }[] = [
  { name: 'at once', driver: { open: (clock) => transformed(createMemoryStorage({ clock }), toy('v1')), fork: true } },
  {
    name: 'later',
    driver: { open: (clock) => transformed(createMemoryStorage({ clock }), asynchronous(toy('v1'))), fork: true },
  },
];

for (const { name, driver } of drivers) {
  describe(`the storage suite on values transformed ${name}`, () => {
    for (const each of storageSuite)
      it.skipIf(skipReason(each, driver) !== undefined)(each.name, () =>
        runSuiteCase(each, { ...driver, maxValueBytes: room }),
      );
  });
}

describe('transformed', () => {
  it('stores transformed values and returns plain ones', async () => {
    const inner = createMemoryStorage({ clock: new VirtualClock() });
    const storage = transformed(inner, toy('v1'));
    await put(storage, 'a', 'plain');
    expect(await readText(inner, 'a')).toMatch(/^v1:00000000:a\n/);
    expect(await readText(inner, 'a')).not.toContain('plain');
    expect(await readText(storage, 'a')).toBe('plain');
    await storage.stop();
  });

  it('marks outdated values as stale, and writing them again unchanged is a change', async () => {
    const inner = createMemoryStorage({ clock: new VirtualClock() });
    const revision = await put(transformed(inner, toy('v1')), 'a', 'x');
    const storage = transformed(inner, toy('v2'));
    const got = await storage.get('a');
    expect(got).toMatchObject({ outcome: 'found', item: { stale: true } });
    expect(await storage.list({ prefix: '' })).toMatchObject({ items: [{ stale: true }] });
    const watcher = Recorder.start(storage, '', 'state');
    // A caller whose state is not marked as stale, such as a cache, gets the same result.
    const first = await storage.compareAndWrite('a', { revision, value: bytes('x') }, bytes('x'));
    expect(first).toMatchObject({ outcome: 'ok', changed: true });
    const fresh = await storage.get('a');
    expect(fresh).not.toHaveProperty('item.stale');
    const second = await storage.compareAndWrite('a', { revision: first.revision, value: bytes('x') }, bytes('x'));
    expect(second).toEqual({ outcome: 'ok', revision: first.revision, changed: false });
    await watcher.caughtUp(storage);
    expect(watcher.seen.map((event) => event.type === 'put' && (event.stale ?? false))).toEqual([true, false]);
    expect(watcher.seen[1]!.previous).toMatchObject({ stale: true });
    await storage.stop();
  });

  it('keeps the mark of a transformed store inside', async () => {
    const inner = createMemoryStorage({ clock: new VirtualClock() });
    await put(transformed(transformed(inner, toy('v1')), toy('outer')), 'a', 'x');
    const storage = transformed(transformed(inner, toy('v2')), toy('outer'));
    expect(await storage.get('a')).toMatchObject({ outcome: 'found', item: { stale: true } });
    expect(await storage.list({ prefix: '' })).toMatchObject({ items: [{ stale: true }] });
    await storage.stop();
  });

  it('treats an unchecked put of an equal value as a no-op only if it is not stale', async () => {
    const inner = createMemoryStorage({ clock: new VirtualClock() });
    await put(transformed(inner, toy('v1')), 'a', 'x');
    const storage = transformed(inner, toy('v2'));
    const renewed = await overwrite(storage, 'a', 'x');
    expect(renewed).toBe(3);
    expect(await overwrite(storage, 'a', 'x')).toBe(3);
    await storage.stop();
  });

  it('fails a read, and ends a watch, whose value cannot be understood', async () => {
    for (const make of [toy, (version: string) => asynchronous(toy(version))]) {
      const inner = createMemoryStorage({ clock: new VirtualClock() });
      const storage = transformed(inner, make('v1'));
      await put(storage, 'good', 'x');
      const watcher = Recorder.start(storage, '', { after: 1 });
      await put(inner, 'bad', 'v1:0:other\nx');
      await expect((async () => storage.get('bad'))()).rejects.toSatisfy((error) => isStorageError(error, 'Corrupt'));
      await expect((async () => storage.list({ prefix: '' }))()).rejects.toSatisfy((error) =>
        isStorageError(error, 'Corrupt'),
      );
      const end = await watcher.untilEnd();
      expect(end.reason === 'failed' && isStorageError(end.error, 'Corrupt')).toBe(true);
      expect(watcher.seen.map((event) => event.key)).toEqual(['good']);
      await storage.stop();
    }
  });

  it('turns a foreign error of the transformer into Corrupt', async () => {
    const inner = createMemoryStorage({ clock: new VirtualClock() });
    await put(inner, 'a', 'x');
    const failing: ValueTransformer = {
      toStorage: (value) => value,
      fromStorage: () => {
        throw new TypeError('foreign');
      },
    };
    const storage = transformed(inner, failing);
    expect(() => storage.get('a')).toThrowError(/"a" cannot be understood/);
    await storage.stop();
  });

  it('ends a watch as failed when too many events wait for the transformer', async () => {
    const gate = new Deferred<void>();
    const inner = createMemoryStorage({ clock: new VirtualClock() });
    const blocked: ValueTransformer = {
      toStorage: (value) => value,
      fromStorage: async (value) => {
        await gate.promise;
        return { value, stale: false };
      },
    };
    const storage = transformed(inner, blocked, { maxWaitingEvents: 5 });
    const watcher = Recorder.start(storage, '', { after: 1 });
    for (let i = 0; i < 7; i++) await put(inner, `k/${i}`, 'x');
    expect(watcher.ended).toMatchObject({ reason: 'failed' });
    gate.resolve();
    await put(inner, 'later', 'x');
    expect(watcher.calls).toHaveLength(1);
    await storage.stop();
  });
});

describe('valueEncoding', () => {
  it('reads the mark of a value', () => {
    expect(valueEncoding(encodeUtf8('{"kind":"X"}'))).toBe('json');
    expect(valueEncoding(encodeUtf8('k8s\u0000abc'))).toBe('protobuf');
    expect(valueEncoding(Uint8Array.of(0xd9, 0xd9, 0xf7, 0xa0))).toBe('cbor');
    expect(valueEncoding(encodeUtf8('k8s:enc:aescbc:v1:key1:...'))).toBe('encrypted');
    for (const other of ['', 'k8s', 'k8s:en', '[1]']) expect(valueEncoding(encodeUtf8(other))).toBe('unknown');
  });
});
