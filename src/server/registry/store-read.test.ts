import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { StorageError } from '../../storage/errors.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { RegistryStore } from './store.ts';
import {
  at,
  complaint,
  deafening,
  made,
  parse,
  refused,
  testHost,
  thing,
  thingDefinition,
  things,
  v2,
} from './thing.fixtures.ts';

describe('a get', () => {
  it('finds an object that was just created, synchronously, as the bytes of the cache', async () => {
    const { store } = await things();
    const created = await made(store, thing('a', { spec: { color: 'red' } }));
    const first = store.get(at('a'), { resourceVersion: '' });
    expect(first).toBeInstanceOf(Uint8Array);
    expect(parse(first as Uint8Array)).toEqual(created);
    expect(store.get(at('a'), { resourceVersion: '0' })).toBe(first);
    expect(store.get(at('a'), { resourceVersion: '2' })).toBe(first);
  });

  it('is synchronous and current after writes to other resources', async () => {
    const { store, storage } = await things();
    await made(store, thing('a'));
    const cached = store.get(at('a'), { resourceVersion: '0' });
    await storage.create('registry/others/x', encodeUtf8('{}'));
    expect(store.get(at('a'), { resourceVersion: '' })).toBe(cached);
  });

  it('reads storage if the cache is behind', async () => {
    const { storage, deafen } = deafening(createMemoryStorage());
    const { store } = await things({}, {}, storage);
    deafen();
    const created = await made(store, thing('a', { spec: { color: 'red' } }));
    expect(parse(await store.get(at('a'), { resourceVersion: '' }))).toEqual(created);
    expect(parse(await store.get(at('a', 'ns', v2), { resourceVersion: '' })).spec).toEqual({ hue: 'red', size: 1 });
    expect((await refused(() => store.get(at('a'), { resourceVersion: '0' }))).code).toBe(404);
  });

  it('starts the cache with the first request', async () => {
    const { host } = testHost();
    const store = new RegistryStore(thingDefinition(), host);
    await made(store, thing('a'));
    expect(store.get(at('a'), { resourceVersion: '' })).toBeInstanceOf(Uint8Array);
    const second = new RegistryStore(thingDefinition(), host);
    const found = second.get(at('a'), { resourceVersion: '' });
    expect(found).toBeInstanceOf(Promise);
    expect(parse(await found).metadata.name).toBe('a');
  });

  it("answers 404 with kube-apiserver's text", async () => {
    const { store } = await things();
    expect(await complaint(() => store.get(at('a'), { resourceVersion: '' }))).toEqual([
      404,
      'NotFound',
      'things.example.test "a" not found',
    ]);
    expect((await refused(() => store.get(at('x'.repeat(5000)), { resourceVersion: '' }))).code).toBe(404);
  });

  it('reads only its namespace, whatever characters a name has', async () => {
    const { store } = await things();
    await made(store, thing('b'), at('', 'a'));
    for (const [name, namespace] of [
      ['b', 'ns'],
      ['a/b', ''],
      ['../a/b', 'ns'],
      ['b', ''],
    ] as const)
      expect((await refused(() => store.get(at(name, namespace), { resourceVersion: '' }))).code).toBe(404);
  });

  it('converts to another version once, with its defaults', async () => {
    const { store } = await things();
    await made(store, thing('a', { spec: { color: 'red' } }));
    const shown = await store.get(at('a', 'ns', v2), { resourceVersion: '' });
    expect(parse(shown)).toMatchObject({ apiVersion: 'example.test/v2', spec: { hue: 'red', size: 1 } });
    expect(parse(shown).metadata.resourceVersion).toBe('2');
    expect(store.get(at('a', 'ns', v2), { resourceVersion: '' })).toBe(shown);
  });

  it('changes only apiVersion and kind without a conversion', async () => {
    const { convert: _, ...definition } = thingDefinition();
    const store = new RegistryStore(definition, testHost().host);
    await made(store, thing('a', { spec: { color: 'red' } }));
    expect(parse(await store.get(at('a', 'ns', v2), { resourceVersion: '' }))).toMatchObject({
      apiVersion: 'example.test/v2',
      spec: { color: 'red', size: 1 },
    });
  });

  it('waits for a revision that does not exist yet, then answers 504', async () => {
    const { store, clock } = await things();
    await made(store, thing('a'));
    const asked = refused(() => store.get(at('a'), { resourceVersion: '99' }));
    await clock.advance(2999);
    await clock.advance(1);
    expect(await asked).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Timeout: Too large resource version: 99, current: 2',
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
      code: 504,
    });
    const reached = store.get(at('b'), { resourceVersion: '3' });
    await made(store, thing('b'));
    expect(parse(await reached).metadata.name).toBe('b');
  });

  it.each([
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
  ])('answers 500 to the resourceVersion %s, as the reference does', async (text, why) => {
    const { store } = await things();
    expect(await complaint(() => store.get(at('a'), { resourceVersion: text }))).toEqual([
      500,
      '',
      `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`,
    ]);
  });

  it('answers with a Status when storage fails', async () => {
    const { store, storage } = await things();
    await storage.create('registry/example.test/things/ns/x', encodeUtf8('nonsense'));
    expect(await refused(() => store.get(at('x'), { resourceVersion: '' }))).toMatchObject({
      code: 500,
      reason: 'InternalError',
    });
    storage.get = () => {
      throw new StorageError('Unavailable', 'the disk is on fire');
    };
    await storage.create('registry/others/y', encodeUtf8('{}'));
    expect(await refused(() => store.get(at('a'), { resourceVersion: '' }))).toMatchObject({
      code: 500,
      reason: 'ServerTimeout',
      details: { name: 'get', retryAfterSeconds: 2 },
    });
    await store.stop();
    expect(await refused(() => store.get(at('a'), { resourceVersion: '0' }))).toMatchObject({ code: 503 });
  });
});
