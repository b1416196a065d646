import { describe, expect, it } from 'vitest';
import { deepFreeze } from './deep-freeze.ts';

describe('deepFreeze', () => {
  it('freezes every object and array, and returns the value', () => {
    const value = { a: [{ b: 1 }, [2]], c: { d: null } };
    expect(deepFreeze(value)).toBe(value);
    for (const part of [value, value.a, value.a[0], value.a[1], value.c]) expect(Object.isFrozen(part)).toBe(true);
    expect(deepFreeze(undefined)).toBeUndefined();
  });

  it('freezes values that are nested deeper than the call stack allows', () => {
    let value: { a?: unknown } = {};
    const innermost = value;
    for (let i = 0; i < 100_000; i++) value = { a: value };
    deepFreeze(value);
    expect([Object.isFrozen(value), Object.isFrozen(innermost)]).toEqual([true, true]);
  });
});
