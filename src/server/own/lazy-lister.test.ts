import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { LazyLister } from './lazy-lister.ts';
import type { Lister } from './lister.ts';

function fixed(objects: readonly JsonObject[]): Lister {
  return {
    fresh: () => undefined,
    get: (_namespace, name) => objects.find((object) => object['name'] === name),
    list: () => objects,
    subscribe: (listener) => {
      listener(objects.map((object) => ({ namespace: '', name: String(object['name']), object })));
      return { stop: () => undefined };
    },
  };
}

test('it starts once, with the first fresh()', async () => {
  let starts = 0;
  const lister = new LazyLister(() => {
    starts++;
    return Promise.resolve(fixed([{ name: 'a' }]));
  });
  const seen: string[] = [];
  lister.subscribe((changes) => seen.push(...changes.map(({ name }) => name)));
  expect([starts, lister.get('', 'a'), lister.list()]).toEqual([0, undefined, []]);
  await Promise.all([lister.fresh(), lister.fresh()]);
  expect([starts, lister.get('', 'a'), seen]).toEqual([1, { name: 'a' }, ['a']]);
  expect(lister.fresh()).toBeUndefined();
});

test('a failed start is tried again by the next fresh()', async () => {
  let starts = 0;
  const lister = new LazyLister(() =>
    starts++ === 0 ? Promise.reject(new Error('no store')) : Promise.resolve(fixed([])),
  );
  await expect(lister.fresh()).rejects.toThrow('no store');
  await lister.fresh();
  expect(starts).toBe(2);
});
