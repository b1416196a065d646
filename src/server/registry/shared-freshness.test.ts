/**
 * Reads of a storage whose `revision()` is a network request: concurrent reads share the request, and the cache
 * answers.
 */
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { at, deafening, made, parse, thing, things } from './thing.fixtures.ts';

/** A storage that answers `revision()` with a promise, as etcd does, and counts requests. */
function remote(inner: Storage): { readonly storage: Storage; readonly calls: { revision: number; get: number } } {
  const calls = { revision: 0, get: 0 };
  const storage = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'revision' && name !== 'get') return value.bind(target);
      return async (...args: unknown[]) => {
        calls[name]++;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { storage, calls };
}

const FRESH = { resourceVersion: '' };

describe('on a storage whose revision is a request', () => {
  it('64 gets at a time cost two requests for the revision and none for the key', async () => {
    const { storage, calls } = remote(createMemoryStorage());
    const { store } = await things({}, {}, storage);
    await made(store, thing('a', { spec: { color: 'red' } }));
    calls.revision = calls.get = 0;
    const found = await Promise.all(Array.from({ length: 64 }, async () => store.get(at('a'), FRESH)));
    expect(found.map((bytes) => parse(bytes).spec)).toEqual(Array.from({ length: 64 }, () => ({ color: 'red' })));
    expect(calls).toEqual({ revision: 2, get: 0 });
  });

  it('a get shows a write of another server that was acknowledged before it', async () => {
    const inner = createMemoryStorage();
    const { store } = await things({}, {}, remote(inner).storage);
    const other = await things({}, {}, inner);
    for (let i = 0; i < 20; i++) {
      const { metadata } = await made(other.store, thing(`a${i}`, {}));
      expect(parse(await store.get(at(`a${i}`), FRESH)).metadata).toEqual(metadata);
    }
  });

  it('a cache that does not catch up makes a get read the key', async () => {
    const inner = createMemoryStorage();
    const ears = deafening(inner);
    const { storage, calls } = remote(ears.storage);
    const { store, clock } = await things({}, {}, storage);
    const other = await things({}, {}, inner);
    ears.deafen();
    await made(other.store, thing('a', { spec: { color: 'red' } }));
    calls.get = 0;
    const asked = Promise.resolve(store.get(at('a'), FRESH));
    await clock.advance(1000);
    expect(parse(await asked).spec).toEqual({ color: 'red' });
    expect(calls.get).toBe(1);
  });
});
