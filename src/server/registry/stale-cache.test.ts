/** Writes with an outdated cache: every decision must be based on the state in the store. */
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../base/bytes.ts';
import { changedStorage } from '../../storage/changed-storage.fixtures.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { transformed } from '../../storage/transformed.ts';
import type { ObjectChange } from '../resource/resource-store.ts';
import {
  at,
  deafening,
  deletion,
  made,
  parse,
  query,
  refused,
  type Things,
  thing,
  things,
  UPDATE,
} from './thing.fixtures.ts';

function put(color: string, resourceVersion = ''): ObjectChange {
  return {
    apply: () => thing('a', { spec: { color } }, resourceVersion === '' ? {} : { resourceVersion }),
    preconditions: undefined,
  };
}

/** Makes two stores of one storage. `a` is blue at revision 3; the outdated cache has it red at revision 2. */
async function outdated(): Promise<{ readonly fresh: Things; readonly stale: Things }> {
  const storage = createMemoryStorage();
  const fresh = await things({}, {}, storage);
  await made(fresh.store, thing('a', { spec: { color: 'red' } }));
  const ears = deafening(storage);
  const stale = await things({}, {}, ears.storage);
  ears.deafen();
  await fresh.store.update(at('a'), put('blue'), UPDATE);
  expect(parse(await stale.store.get(at('a'), { resourceVersion: '0' })).spec).toEqual({ color: 'red' });
  return { fresh, stale };
}

describe('with an outdated cache', () => {
  it('an update of the stored version succeeds and one of the cached version does not', async () => {
    const { stale } = await outdated();
    expect((await refused(() => stale.store.update(at('a'), put('green', '2'), UPDATE))).code).toBe(409);
    const answer = await stale.store.update(at('a'), put('green', '3'), UPDATE);
    expect(parse(answer.bytes)).toMatchObject({
      spec: { color: 'green' },
      metadata: { resourceVersion: '4', generation: 3 },
    });
  });

  it('an update that equals the cached state is still written', async () => {
    const { stale } = await outdated();
    const answer = await stale.store.update(at('a'), put('red'), UPDATE);
    expect(parse(answer.bytes)).toMatchObject({ spec: { color: 'red' }, metadata: { resourceVersion: '4' } });
  });

  it('an update that equals the stored state is not written', async () => {
    const { stale } = await outdated();
    const answer = await stale.store.update(at('a'), put('blue'), UPDATE);
    expect(parse(answer.bytes)).toMatchObject({ spec: { color: 'blue' }, metadata: { resourceVersion: '3' } });
  });

  it('an update of a deleted object is a 404, and a create succeeds', async () => {
    const { fresh, stale } = await outdated();
    await fresh.store.delete(at('a'), deletion());
    expect((await refused(() => stale.store.update(at('a'), put('green'), UPDATE))).code).toBe(404);
    expect((await made(stale.store, thing('a'))).metadata.resourceVersion).toBe('5');
  });

  it('a delete decides on the stored state', async () => {
    const { fresh, stale } = await outdated();
    const expecting = (resourceVersion: string) => deletion({ preconditions: { uid: undefined, resourceVersion } });
    expect((await refused(() => stale.store.delete(at('a'), expecting('2')))).code).toBe(409);
    await fresh.store.update(
      at('a'),
      { apply: () => thing('a', {}, { finalizers: ['example.test/x'] }), preconditions: undefined },
      UPDATE,
    );
    expect((await stale.store.delete(at('a'), deletion())).outcome).toBe('pending');
  });

  it('a fresh list reads storage when the cache does not catch up', async () => {
    const { stale } = await outdated();
    const asked = Promise.resolve(stale.store.list(at(''), query()));
    await stale.clock.advance(3000);
    const page = await asked;
    expect([page.resourceVersion, page.items.map((bytes) => parse(bytes).spec)]).toEqual(['3', [{ color: 'blue' }]]);
  });
});

/** Makes a storage look like one in another process. */
function remote(inner: Storage): Storage {
  return changedStorage(inner, { embedded: false, revision: async () => inner.revision() });
}

describe('with an outdated stored form', () => {
  it.each([
    ['embedded', (storage: Storage) => storage],
    ['remote', remote],
  ])('an update without a change writes to an %s store, once', async (_, place) => {
    let key = 1;
    const storage = transformed(place(createMemoryStorage()), {
      toStorage: (value) => concatBytes([Uint8Array.of(key), value]),
      fromStorage: (stored) => ({ value: stored.subarray(1), stale: stored[0] !== key }),
    });
    const { store } = await things({}, {}, storage);
    await made(store, thing('a', { spec: { color: 'red' } }));
    const update = async (): Promise<unknown> =>
      parse((await store.update(at('a'), put('red'), UPDATE)).bytes).metadata.resourceVersion;
    expect(await update()).toBe('2');
    key = 2;
    expect([await update(), await update()]).toEqual(['3', '3']);
  });
});
