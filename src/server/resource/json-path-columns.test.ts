import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { type JsonPathColumn, jsonPathTable } from './json-path-columns.ts';

function column(type: string, jsonPath: string, more: Partial<JsonPathColumn> = {}): JsonPathColumn {
  return { name: 'C', type, format: '', description: '', priority: 0, jsonPath, ...more };
}

function cell(type: string, value: JsonValue | undefined): JsonValue | undefined {
  const object: JsonObject = value === undefined ? {} : { v: value };
  return jsonPathTable([column(type, '.v')]).cells(object, Date.parse('2026-01-01T01:00:00Z'))[1];
}

describe('cells', () => {
  it.each<[string, JsonValue | undefined, JsonValue]>([
    ['string', 'x', 'x'],
    ['string', 5, '5'],
    ['string', 1_000_000.5, '1.0000005e+06'],
    ['string', true, 'true'],
    ['string', null, '<no value>'],
    ['string', { b: 1, a: ['<'] }, '{"a":["\\u003c"],"b":1}'],
    ['string', undefined, null],
    ['integer', 5, 5],
    ['integer', 5.9, 5],
    ['integer', 'x', null],
    ['integer', 9007199254740993n, 9007199254740993n],
    ['number', 5.5, 5.5],
    ['number', '5', null],
    ['boolean', false, false],
    ['boolean', 'false', null],
    ['date', '2026-01-01T00:00:00Z', '60m'],
    ['date', 'yesterday', '<invalid>'],
    ['date', '', '<unknown>'],
    ['date', 5, null],
    ['object', {}, null],
  ])('of type %s show %o as %o', (type, value, expected) => {
    expect(cell(type, value)).toEqual(expected);
  });

  it('show the first of several results', () => {
    const table = jsonPathTable([column('string', '.list[*].a')]);
    expect(table.cells({ list: [{ a: 'x' }, { a: 'y' }] }, 0)).toEqual(['', 'x']);
  });
});

describe('columns', () => {
  it('are name and age if none is declared', () => {
    const { columns, cells } = jsonPathTable([]);
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['Name string', 'Age date']);
    const metadata = { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' };
    expect(cells({ metadata }, Date.parse('2026-01-01T00:00:05Z'))).toEqual(['a', '5s']);
  });

  it('end at the first path that cannot be read', () => {
    const { columns } = jsonPathTable([column('string', '.a'), column('string', '.b['), column('string', '.c')]);
    expect(columns).toHaveLength(2);
  });

  it('describe themselves by their path', () => {
    const { columns } = jsonPathTable([
      column('string', '.a'),
      column('string', '.b', { description: 'B', priority: 1 }),
    ]);
    expect(columns.slice(1).map(({ description, priority }) => [description, priority])).toEqual([
      ['Custom resource definition column (in JSONPath format): .a', 0],
      ['B', 1],
    ]);
  });
});

it('a row takes little time whatever its paths: a cell that would take long is empty', () => {
  let deep: JsonValue = 'x';
  for (let i = 0; i < 200; i++) deep = { a: deep };
  const column = { name: 'A', type: 'string', format: '', description: '', priority: 0 };
  const { cells } = jsonPathTable([
    { ...column, jsonPath: '.spec.a..b' },
    { ...column, jsonPath: '..a..a..a..a..a..a' },
    { ...column, jsonPath: '.metadata.name' },
  ]);
  expect(cells({ metadata: { name: 'a' }, spec: deep }, 0)).toEqual(['a', null, null, null]);
});
