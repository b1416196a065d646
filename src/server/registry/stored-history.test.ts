import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ResourceDefinition, StoredHistory } from '../resource/resource-definition.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { RegistryStore } from './store.ts';
import {
  at,
  CREATE,
  deletion,
  made,
  parse,
  query,
  type Shown,
  strategy,
  testHost,
  thing,
  thingDefinition,
  UPDATE,
  v1,
  v2,
  watching,
} from './thing.fixtures.ts';

/** The schema before: nothing is dropped and nothing is filled in. */
const before = thingDefinition({ strategy: { ...strategy, objectVersion: 'request' } });

/** The schema now: `spec.old` is gone, `spec.size` has a default. */
const present: VersionDefinition = {
  ...v1,
  prune: (object) => void delete (object['spec'] as JsonObject | undefined)?.['old'],
  setDefaults: (object) => {
    object['spec'] ??= {};
    (object['spec'] as JsonObject)['size'] ??= 7;
  },
};

function now(history: Partial<StoredHistory> & Pick<StoredHistory, 'exactSince'>): ResourceDefinition {
  return thingDefinition({
    versions: [present, v2],
    storageVersion: present,
    generation: '2',
    history: { versions: [present, v2], ...history },
    strategy: { ...strategy, objectVersion: 'request' },
  });
}

/** Two objects of the old schema, and a store of the new one. */
async function changed(
  stored: VersionDefinition = v1,
): Promise<{ store: RegistryStore; storage: Storage; since: number }> {
  const { host, storage } = testHost(createMemoryStorage());
  const old = new RegistryStore({ ...before, storageVersion: stored }, host);
  await made(old, thing('a', { spec: { color: 'red', old: true } }));
  await made(old, thing('b', { spec: { color: 'blue', size: 7 } }));
  await old.stop();
  const since = await storage.revision();
  const store = new RegistryStore(now({ exactSince: () => since }), host);
  await store.start();
  return { store, storage, since };
}

async function stored(storage: Storage, name: string): Promise<Shown> {
  const result = await storage.get(`registry/example.test/things/ns/${name}`);
  if (result.outcome !== 'found') throw new Error(`${name} is not stored`);
  return parse(result.item.value);
}

const GET = { resourceVersion: '' };

describe('objects that were stored under an earlier schema', () => {
  it('are pruned and given their defaults by get and list', async () => {
    const { store } = await changed();
    expect(parse(await store.get(at('a'), GET)).spec).toEqual({ color: 'red', size: 7 });
    const { items } = await store.list(at(''), query());
    expect(items.map((item) => parse(item).spec)).toEqual([
      { color: 'red', size: 7 },
      { color: 'blue', size: 7 },
    ]);
  });

  it('are served as the stored bytes if nothing has to change', async () => {
    const { store } = await changed();
    const bytes = await store.get(at('b'), GET);
    const { items } = await store.list(at(''), query());
    expect(items[1]).toBe(bytes);
    expect(store.stats().formBytesNow).toBe(items[0]?.byteLength);
  });

  it('are selected by their converted fields', async () => {
    const { store } = await changed(v2);
    const { items } = await store.list(at(''), query({ fields: 'spec.color=blue' }));
    expect(items.map((item) => parse(item).metadata.name)).toEqual(['b']);
  });

  it('are converted from the version in which they were stored', async () => {
    const { store } = await changed(v2);
    expect(parse(await store.get(at('a'), GET))).toMatchObject({
      apiVersion: 'example.test/v1',
      spec: { color: 'red', size: 1 },
    });
    expect(parse(await store.get(at('a', 'ns', v2), GET)).spec).toEqual({ hue: 'red', size: 1, old: true });
  });

  it('are watched in the current schema, deletions and history included', async () => {
    const { store } = await changed();
    const fromStart = await watching(store, { resourceVersion: '1' });
    const live = await watching(store, {});
    await store.delete(at('a'), deletion());
    const later = await watching(store, { resourceVersion: '2' });
    expect(live.events.short).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
    for (const { events } of [fromStart, live, later])
      for (const [, object] of events.seen) expect(object.spec).toMatchObject({ size: 7 });
    expect(live.events.seen[2]?.[1].spec).toEqual({ color: 'red', size: 7 });
  });

  it('are written again by an update that changes nothing', async () => {
    const { store, storage, since } = await changed();
    const answer = await store.update(
      at('a'),
      { apply: (current) => current as JsonObject, preconditions: undefined },
      UPDATE,
    );
    expect(Number(parse(answer.bytes).metadata.resourceVersion)).toBeGreaterThan(since);
    expect((await stored(storage, 'a')).spec).toEqual({ color: 'red', size: 7 });
    const same = await store.update(
      at('b'),
      { apply: (current) => current as JsonObject, preconditions: undefined },
      UPDATE,
    );
    expect(Number(parse(same.bytes).metadata.resourceVersion)).toBeLessThanOrEqual(since);
  });

  it('move to the storage version when they are updated', async () => {
    const { store, storage } = await changed(v2);
    const unchanged = { apply: (current: JsonObject | undefined) => current as JsonObject, preconditions: undefined };
    await store.update(at('a', 'ns', v2), unchanged, UPDATE);
    expect((await stored(storage, 'a')).apiVersion).toBe('example.test/v1');
    expect((await stored(storage, 'b')).apiVersion).toBe('example.test/v2');
  });

  it('are stored in the current schema when a deletion only marks them', async () => {
    const { host, storage } = testHost(createMemoryStorage());
    const old = new RegistryStore(before, host);
    await made(old, thing('a', { spec: { old: true } }, { finalizers: ['x.test/y'] }));
    await old.stop();
    const since = await storage.revision();
    const store = new RegistryStore(now({ exactSince: () => since }), host);
    await store.delete(at('a'), deletion());
    expect((await stored(storage, 'a')).spec).toEqual({ size: 7 });
  });

  it('cost nothing more once a list has found all of them exact', async () => {
    const { store } = await changed();
    await store.update(at('a'), { apply: (current) => current as JsonObject, preconditions: undefined }, UPDATE);
    await store.list(at('', ''), query());
    const { formsMade } = store.stats();
    await store.list(at('', ''), query());
    await made(store, thing('c', { spec: { size: 1 } }));
    await store.list(at('', ''), query());
    expect(store.stats().formsMade).toBe(formsMade);
  });

  it('are not trusted while another store may still write', async () => {
    const { host } = testHost(createMemoryStorage());
    let since = Number.POSITIVE_INFINITY;
    const store = new RegistryStore(now({ exactSince: () => since }), host);
    await store.start();
    const old = new RegistryStore(before, host);
    await old.create(at(''), thing('a', { spec: { old: true } }), CREATE);
    await store.list(at('', ''), query());
    expect(parse(await store.get(at('a'), GET)).spec).toEqual({ size: 7 });
    since = await host.storage.revision();
    expect(parse(await store.get(at('a'), GET)).spec).toEqual({ size: 7 });
    await old.stop();
  });

  it('of an unknown version fail, and no others', async () => {
    const { store } = await changed();
    const { host, storage } = testHost(createMemoryStorage());
    const old = new RegistryStore(before, host);
    await made(old, thing('a'));
    await old.stop();
    const since = await storage.revision();
    const strict = new RegistryStore(now({ versions: [v2], exactSince: () => since }), host);
    await expect(async () => strict.get(at('a'), GET)).rejects.toMatchObject({ status: { code: 500 } });
    expect(parse(await store.get(at('b'), GET)).spec).toEqual({ color: 'blue', size: 7 });
  });
});

describe('resources without a history', () => {
  it('hand out stored bytes as they are', async () => {
    const { host } = testHost(createMemoryStorage());
    const store = new RegistryStore(thingDefinition({ versions: [present, v2], storageVersion: present }), host);
    await made(store, thing('a', { spec: { old: true } }));
    expect(parse(await store.get(at('a'), GET)).spec).toEqual({ old: true });
    expect(store.stats().formsMade).toBe(0);
  });
});
