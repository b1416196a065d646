import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { list, map, struct } from '../protobuf/core-facts.fixtures.ts';
import { orderFields } from './typed-order.ts';

const inner = struct('v1.Inner', ['name', 1, 'string'], ['size', 2, 'int32']);
const outer = struct(
  'v1.Outer',
  ['labels', 1, map('string')],
  ['inner', 2, inner],
  ['inners', 3, list(inner)],
  ['named', 4, map(inner)],
);

describe('fields', () => {
  test('are put in the order of their type, at every depth', () => {
    const object: JsonObject = {
      named: { b: { size: 1, name: 'x' }, a: { size: 2, name: 'y' } },
      inners: [{ size: 3, name: 'z' }, { name: 'w' }],
      inner: { size: 4, name: 'v' },
      labels: { b: '1', a: '2' },
    };
    orderFields(object, outer);
    expect(JSON.stringify(object)).toBe(
      '{"labels":{"b":"1","a":"2"},"inner":{"name":"v","size":4},"inners":[{"name":"z","size":3},{"name":"w"}],"named":{"b":{"name":"x","size":1},"a":{"name":"y","size":2}}}',
    );
  });

  test('of a frozen list that is in order are not written', () => {
    const inners = Object.freeze([Object.freeze({ name: 'a', size: 1 })]) as unknown as JsonObject[];
    const object: JsonObject = { inners, inner: { size: 4, name: 'v' } };
    orderFields(object, outer);
    expect(object['inners']).toBe(inners);
  });

  test('that are in order stay the same objects', () => {
    const labels = { a: 'b' };
    const one = { name: 'x', size: 1 };
    const object: JsonObject = { inner: one, labels };
    orderFields(object, outer);
    expect(Object.keys(object)).toEqual(['labels', 'inner']);
    expect(object['inner']).toBe(one);
    expect(object['labels']).toBe(labels);
  });

  test('that the type does not have come last', () => {
    const object: JsonObject = { other: 1, inner: {}, labels: {} };
    orderFields(object, outer);
    expect(Object.keys(object)).toEqual(['labels', 'inner', 'other']);
  });
});
