/** All verbs with an asynchronous conversion, such as a conversion webhook. */
import { describe, expect, it } from 'vitest';
import { settle } from '../../base/virtual-clock.ts';
import type { ListPage } from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import {
  at,
  CREATE,
  deletion,
  made,
  parse,
  query,
  strategy,
  type Things,
  thing,
  thingDefinition,
  things,
  UPDATE,
  v2,
  watching,
} from './thing.fixtures.ts';

function slow(overrides: Partial<Strategy> = {}): Promise<Things> {
  const { convert } = thingDefinition();
  return things({
    convert: async (...args) => {
      await settle();
      return convert!(...args);
    },
    strategy: { ...strategy, ...overrides },
  });
}

const V2 = at('', 'ns', v2);

function hue(name: string, color: string): ReturnType<typeof thing> {
  return { ...thing(name, { spec: { hue: color } }), apiVersion: 'example.test/v2' };
}

describe.each(['storage', 'request'] as const)(
  'with a slow conversion and a strategy on the %s version',
  (objectVersion) => {
    it('an object lives its whole life in the other version', async () => {
      const { store } = await slow({ objectVersion, returnsDeletedObject: true });
      const created = await made(store, hue('a', 'red'), V2);
      expect(created.spec).toEqual({ hue: 'red', size: 1 });
      const { events } = await watching(store, { resourceVersion: '1', fields: 'spec.hue=red' }, V2);
      await settle();
      const context = at('a', 'ns', v2);
      expect(parse(await store.get(context, { resourceVersion: '' }))).toEqual(created);
      const dry = await store.create(V2, hue('b', 'red'), { ...CREATE, dryRun: true });
      expect(parse(dry.bytes).apiVersion).toBe('example.test/v2');
      const change = { apply: () => hue('a', 'blue'), preconditions: undefined };
      const updated = parse((await store.update(context, change, UPDATE)).bytes);
      expect(updated).toMatchObject({
        spec: { hue: 'blue', size: 1 },
        metadata: { generation: 2, resourceVersion: '3' },
      });
      const page: ListPage = await store.list(V2, query({ fields: 'spec.hue=blue' }));
      expect(page.items.map(parse)).toEqual([updated]);
      const gone = await store.delete(context, deletion());
      if (gone.outcome !== 'deleted') throw new Error(gone.outcome);
      expect(parse(gone.bytes!)).toMatchObject({ spec: { hue: 'blue' }, metadata: { resourceVersion: '4' } });
      for (let i = 0; i < 8; i++) await settle();
      expect(events.short).toEqual(['ADDED a', 'DELETED a']);
    });
  },
);

describe('a conversion that fails', () => {
  it('fails the read or ends the watch, and nothing else', async () => {
    let broken = false;
    const { convert } = thingDefinition();
    const { store } = await things({
      convert: (...args) => {
        if (broken) throw new Error('the webhook is away');
        return convert!(...args);
      },
    });
    await made(store, thing('a', { spec: { color: 'red' } }));
    const other = await watching(store, { resourceVersion: '2' }, V2);
    const stored = await watching(store, { resourceVersion: '2' });
    broken = true;
    await made(store, thing('b'));
    await settle();
    expect(() => store.get(at('b', 'ns', v2), { resourceVersion: '' })).toThrow('the webhook is away');
    expect(other.events.ended).toMatchObject([{ code: 500, message: 'Internal error occurred: the webhook is away' }]);
    expect(stored.events.short).toEqual(['ADDED b']);
  });
});
