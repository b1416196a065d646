import { describe, expect, it } from 'vitest';
import { cloneJson, equalJson, getField, type JsonObject, setField } from './json-value.ts';

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

  it('see own fields only', () => {
    expect(getField({}, 'constructor')).toBeUndefined();
    const object: JsonObject = {};
    setField(object, '__proto__', 'own');
    expect(getField(object, '__proto__')).toBe('own');
  });
});
