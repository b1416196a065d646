import { describe, expect, it } from 'vitest';
import { at, complaint, made, parse, thing, things, v2 } from './thing.fixtures.ts';

describe('a get', () => {
  it('finds what was just created, synchronously, as the very bytes of the cache', async () => {
    const { store } = await things();
    const created = await made(store, thing('a', { spec: { color: 'red' } }));
    const first = store.get(at('a'), { resourceVersion: '' });
    expect(first).toBeInstanceOf(Uint8Array);
    expect(parse(first as Uint8Array)).toEqual(created);
    expect(store.get(at('a'), { resourceVersion: '0' })).toBe(first);
  });

  it('answers 404 in the words of the reference', async () => {
    const { store } = await things();
    expect(await complaint(() => store.get(at('a'), { resourceVersion: '' }))).toEqual([
      404,
      'NotFound',
      'things.example.test "a" not found',
    ]);
  });

  it('shows another version converted and with its defaults', async () => {
    const { store } = await things();
    await made(store, thing('a', { spec: { color: 'red' } }));
    const shown = parse(await store.get(at('a', 'ns', v2), { resourceVersion: '' }));
    expect(shown.apiVersion).toBe('example.test/v2');
    expect(shown.spec).toEqual({ hue: 'red', size: 1 });
    expect(shown.metadata.resourceVersion).toMatch(/^[0-9]+$/);
  });
});
