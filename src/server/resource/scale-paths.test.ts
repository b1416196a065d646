import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { integerAt, setIntegerAt, textAtPath } from './scale-paths.ts';

const at = (replicas: JsonValue): JsonObject => ({ spec: { replicas } });

describe('replicas', () => {
  it('are read at the path', () => {
    expect(integerAt(at(3), '.spec.replicas')).toEqual({ ok: true, value: 3, found: true });
    expect(integerAt({}, '.spec.replicas')).toEqual({ ok: true, value: 0, found: false });
    expect(integerAt({ spec: null }, '.spec.replicas')).toEqual({ ok: true, value: 0, found: false });
  });

  it.each<[JsonObject, string]>([
    [at('x'), '.spec.replicas accessor error: x is of the type string, expected int64'],
    [at(1.5), '.spec.replicas accessor error: 1.5 is of the type float64, expected int64'],
    [at(null), '.spec.replicas accessor error: <nil> is of the type <nil>, expected int64'],
    [
      at({ b: 1, a: [true] }),
      '.spec.replicas accessor error: map[a:[true] b:1] is of the type map[string]interface {}, expected int64',
    ],
    [{ spec: 'x' }, '.spec.replicas accessor error: x is of the type string, expected map[string]interface{}'],
  ])('of another type are refused with the message of kube-apiserver: %o', (object, message) => {
    expect(integerAt(object, '.spec.replicas')).toEqual({ ok: false, message });
  });

  it('are set, with missing objects added on the way', () => {
    const object: JsonObject = {};
    expect(setIntegerAt(object, '.spec.deep.replicas', 2)).toBeUndefined();
    expect(object).toEqual({ spec: { deep: { replicas: 2 } } });
    expect(setIntegerAt({ spec: 'x' }, '.spec.replicas', 2)).toBe(
      'value cannot be set because .spec is not a map[string]interface{}',
    );
  });
});

describe('a selector', () => {
  it('is a string', () => {
    expect(textAtPath({ status: { selector: 'a=b' } }, '.status.selector')).toMatchObject({ value: 'a=b' });
    expect(textAtPath({ status: { selector: 1 } }, '.status.selector')).toEqual({
      ok: false,
      message: '.status.selector accessor error: 1 is of the type int64, expected string',
    });
  });
});
