import { describe, expect, it } from 'vitest';
import { createStructView, type FieldView, type ListView, type TypeView } from '../type-view.ts';
import { DEDUCED, UNTYPED_ATOMIC } from './merge-type.ts';
import { mergeTypeOf } from './view-type.ts';

const STRING: TypeView = { kind: 'scalar', scalar: 'string' };
const LIST: ListView = { kind: 'list', items: STRING, listType: 'atomic', mapKeys: [] };

const field = (name: string, type: TypeView, more: Partial<FieldView> = {}): FieldView => ({
  name,
  type,
  patchStrategies: [],
  patchMergeKey: undefined,
  required: false,
  nullable: false,
  defaultValue: undefined,
  wire: undefined,
  ...more,
});

const fieldType = (type: TypeView, more: Partial<FieldView> = {}, options = {}) =>
  mergeTypeOf(createStructView('', () => [field('x', type, more)], options)).map?.fields.get('x')?.type;

describe('the merge type of a view', () => {
  it('is made once', () => {
    const view = createStructView('T', () => [field('x', STRING)]);
    expect(mergeTypeOf(view)).toBe(mergeTypeOf(view));
  });

  it.each<[TypeView, string | undefined]>([
    [STRING, 'string'],
    [{ kind: 'scalar', scalar: 'string', format: 'byte' }, 'string'],
    [{ kind: 'scalar', scalar: 'string', format: 'uuid' }, 'untyped'],
    [{ kind: 'scalar', scalar: 'bytes' }, 'string'],
    [{ kind: 'scalar', scalar: 'duration' }, 'string'],
    [{ kind: 'scalar', scalar: 'boolean' }, 'boolean'],
    [{ kind: 'scalar', scalar: 'int64' }, 'numeric'],
    [{ kind: 'scalar', scalar: 'double' }, 'numeric'],
    [{ kind: 'scalar', scalar: 'time' }, 'untyped'],
    [{ kind: 'scalar', scalar: 'quantity' }, 'untyped'],
  ])('of %j is the scalar %s', (view, scalar) => {
    expect(mergeTypeOf(view)).toMatchObject({ scalar, list: undefined, map: undefined });
  });

  it('of anything is deduced, taken as a whole, or any object', () => {
    expect(mergeTypeOf({ kind: 'any', raw: 'json' })).toBe(DEDUCED);
    expect(mergeTypeOf({ kind: 'scalar', scalar: 'int-or-string' })).toBe(DEDUCED);
    expect(mergeTypeOf({ kind: 'any', raw: 'raw-extension' })).toBe(UNTYPED_ATOMIC);
    const free = mergeTypeOf({ kind: 'any', raw: 'json', objectsOnly: true });
    expect(free.scalar).toBeUndefined();
    expect(free.map?.values).toBe(DEDUCED);
  });

  it('of a list that declares nothing follows strategic merge', () => {
    expect(fieldType(LIST)?.list?.relation).toBe('atomic');
    expect(fieldType(LIST, { patchStrategies: ['merge'] })?.list?.relation).toBe('set');
    expect(fieldType(LIST, { patchStrategies: ['merge', 'retainKeys'], patchMergeKey: 'name' })?.list).toMatchObject({
      relation: 'map',
      keys: ['name'],
    });
    expect(fieldType({ ...LIST, declared: true }, { patchStrategies: ['merge'] })?.list?.relation).toBe('atomic');
  });

  it('of a struct without fields is a free object', () => {
    const type = mergeTypeOf(createStructView('T', () => []));
    expect(type.map?.typeOf('anything')).toBe(DEDUCED);
    expect(mergeTypeOf(createStructView('T', () => [field('x', STRING)])).map?.typeOf('other')).toBeUndefined();
  });

  it('hands unknown fields down to inline types, but not to named ones', () => {
    const inline = createStructView('', () => [field('x', STRING)]);
    const named = createStructView('ObjectMeta', () => [field('x', STRING)]);
    const keep = { preserveUnknown: true };
    const list: ListView = { ...LIST, items: inline };
    expect(fieldType(inline, {}, keep)?.map?.typeOf('other')).toBe(DEDUCED);
    expect(fieldType(list, {}, keep)?.list?.items.map?.typeOf('other')).toBe(DEDUCED);
    expect(fieldType(named, {}, keep)?.map?.typeOf('other')).toBeUndefined();
    expect(fieldType(inline)?.map?.typeOf('other')).toBeUndefined();
  });

  it('has the defaults of keys', () => {
    const item = createStructView('', () => [
      field('protocol', STRING, { defaultValue: 'TCP' }),
      field('port', STRING),
    ]);
    const list: ListView = { kind: 'list', items: item, listType: 'map', mapKeys: ['protocol', 'port'] };
    const type = mergeTypeOf(list).list;
    expect([type?.keyDefault('protocol'), type?.keyDefault('port')]).toEqual(['TCP', undefined]);
    expect(type?.sortedKeys).toEqual(['port', 'protocol']);
  });
});
