import { expect, it } from 'vitest';
import { createStructView, type FieldView, type TypeView } from '../type-view.ts';
import { newObjectOf } from './new-object.ts';

const STRING: TypeView = { kind: 'scalar', scalar: 'string' };
const field = (name: string, type: TypeView, pointer: boolean, omitEmpty: boolean): FieldView => ({
  name,
  type,
  patchStrategies: [],
  patchMergeKey: undefined,
  required: false,
  nullable: false,
  defaultValue: undefined,
  wire: { number: 1, pointer, omitEmpty },
});

it('a new object has the structs and values that Go always writes', () => {
  const spec = createStructView('Spec', () => [
    field('always', STRING, false, false),
    field('sometimes', STRING, false, true),
    field('list', { kind: 'list', items: STRING, listType: 'atomic', mapKeys: [] }, false, false),
    field(
      'pointer',
      createStructView('P', () => []),
      true,
      true,
    ),
  ]);
  const view = createStructView('Thing', () => [
    { ...field('kind', STRING, false, true), wire: undefined },
    { ...field('apiVersion', STRING, false, true), wire: undefined },
    field('spec', spec, false, true),
  ]);
  expect(newObjectOf(view, { group: 'example.com', version: 'v1', kind: 'Thing' })).toEqual({
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    spec: { always: '', list: null },
  });
});
