import { describe, expect, it } from 'vitest';
import { cloneJson, equalJson, getField, type JsonObject, type JsonValue, setField } from './json-value.ts';

describe('JSON values', () => {
  it('clone deeply, a key called __proto__ included', () => {
    const value = JSON.parse('{"a":[1,{"b":null}],"__proto__":{"x":1}}') as JsonObject;
    const copy = cloneJson(value);
    expect(equalJson(copy, value)).toBe(true);
    expect(Object.keys(copy)).toEqual(['a', '__proto__']);
    (copy['a'] as number[])[0] = 2;
    expect((value['a'] as number[])[0]).toBe(1);
    expect(({} as JsonObject)['x']).toBeUndefined();
  });

  it('compare without regard to key order or to number and bigint', () => {
    expect(equalJson({ a: 1, b: [2n] }, { b: [2], a: 1n })).toBe(true);
    expect(equalJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(equalJson([1], { 0: 1 })).toBe(false);
    expect(equalJson('1', 1)).toBe(false);
    expect(equalJson(null, {})).toBe(false);
  });

  it('clone and compare at any depth that a reader allows', () => {
    const nest = (leaf: JsonValue): JsonValue => {
      let value = leaf;
      for (let i = 0; i < 10_000; i++) value = i % 2 === 0 ? [value] : { a: value };
      return value;
    };
    const deep = nest({ x: [1n, 'y', null] });
    const copy = cloneJson(deep);
    expect(equalJson(deep, copy)).toBe(true);
    expect(equalJson(nest(1), nest(1n))).toBe(true);
    expect(equalJson(nest([1]), nest([2]))).toBe(false);
    expect(equalJson(nest([1]), nest([1, 2]))).toBe(false);
    expect(equalJson(nest({ a: 1 }), nest({ b: 1 }))).toBe(false);
    expect(equalJson(nest([]), nest({}))).toBe(false);
    expect(equalJson(nest(null), nest({}))).toBe(false);
  });

  it('see own fields only', () => {
    expect(getField({}, 'constructor')).toBeUndefined();
    const object: JsonObject = {};
    setField(object, '__proto__', 'own');
    expect(getField(object, '__proto__')).toBe('own');
  });
});
