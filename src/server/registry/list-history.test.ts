import { describe, expect, it } from 'vitest';
import type { CacheListOptions, CacheRange } from '../../cache/cache.ts';
import { selectorFilter } from '../../cache/selector-filter.ts';
import { listHistory } from './list-history.ts';
import { StoreCore } from './store-core.ts';
import { made, query, thing, thingDefinition, things, v2 } from './thing.fixtures.ts';

describe('a list from history', () => {
  it('shows what the cache would have shown', async () => {
    const world = await things();
    for (const name of ['a', 'b', 'c', 'd'])
      await made(world.store, thing(name, { spec: { color: name < 'c' ? 'red' : 'blue' } }));
    await made(world.store, thing('e'));
    const core = new StoreCore(thingDefinition(), world.host);
    await core.start();
    const at = core.cache.snapshotAt(5);
    if (at.outcome !== 'ok') throw new Error(at.outcome);
    const form = core.versions.formOf(v2);
    const hue = selectorFilter({ fields: query({ fields: 'spec.hue=red' }).fieldSelector });
    const color = selectorFilter({ fields: query({ fields: 'spec.color=blue' }).fieldSelector });
    const prefix: CacheRange = { prefix: core.keys.prefix('ns') };
    const key: CacheRange = { key: core.keys.key('ns', 'd') };
    const cases: [CacheRange, CacheListOptions][] = [
      [prefix, {}],
      [prefix, { limit: 2 }],
      [prefix, { limit: 2, start: core.keys.key('ns', 'c') }],
      [prefix, { limit: 1, filter: color! }],
      [prefix, { limit: 1, filter: hue!, form: form! }],
      [key, {}],
      [key, { filter: color! }],
      [key, { filter: hue!, form: form! }],
      [{ key: core.keys.key('ns', 'e') }, {}],
    ];
    for (const [range, options] of cases)
      expect(await listHistory(core, range, 5, options)).toEqual(await at.snapshot.list(range, options));
  });

  it('is undefined below the compaction horizon', async () => {
    const world = await things();
    await made(world.store, thing('a'));
    await made(world.store, thing('b'));
    await world.storage.compact(3);
    const core = new StoreCore(thingDefinition(), world.host);
    await core.start();
    expect(await listHistory(core, { prefix: core.keys.root }, 2, {})).toBeUndefined();
  });
});
