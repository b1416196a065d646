import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, equalJson } from '../../base/json-value.ts';
import { applyMergePatch, checkMergePatchFields, diffMergePatch } from './merge-patch.ts';
import { MAX_PATCH_DEPTH } from './patch-error.ts';

function apply(document: JsonObject, patch: JsonValue): JsonValue | string {
  const result = applyMergePatch(document, patch);
  return result.ok ? result.value : `${result.error.code}: ${result.error.message}`;
}

const KEYS = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');

function objects(scalars: readonly JsonValue[]): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ value: JsonValue; object: JsonObject; list: JsonArray }>((tie) => ({
    value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constantFrom(...scalars), tie('object'), tie('list')),
    object: fc.dictionary(KEYS, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    list: fc.array(tie('value'), { maxLength: 4 }),
  })).object;
}

describe('a merge patch', () => {
  it('sets, merges and deletes fields', () => {
    expect(apply({ a: 1, b: { c: 1, d: 2 }, e: 1 }, { a: 2, b: { c: null, x: 1 }, e: null, f: null })).toEqual({
      a: 2,
      b: { d: 2, x: 1 },
    });
  });

  it('replaces lists', () => {
    expect(apply({ a: [1, 2] }, { a: [3] })).toEqual({ a: [3] });
    expect(apply({ a: [{ b: 1 }] }, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
  });

  it('drops null fields of a value that replaces no object, in lists too', () => {
    expect(apply({}, { a: { b: null, c: { d: null } }, l: [{ x: null, y: 1 }, null] })).toEqual({
      a: { c: {} },
      l: [{ y: 1 }, null],
    });
    expect(apply({ a: 5 }, { a: { b: null } })).toEqual({ a: {} });
  });

  it('keeps null fields in a list that replaces an object, as the reference does', () => {
    expect(apply({ a: { b: 1 } }, { a: [{ x: null }] })).toEqual({ a: [{ x: null }] });
  });

  it('may be a list, which becomes the result, but no other value', () => {
    expect(apply({ a: 1 }, [{ b: null }, null])).toEqual([{}, null]);
    for (const patch of [null, 5, 'x', true]) expect(apply({ a: 1 }, patch)).toBe('invalid-patch: Invalid JSON Patch');
  });

  it('must be an object where strict decoding is asked for', () => {
    expect(checkMergePatchFields({ a: null })).toEqual({ ok: true, value: [] });
    expect(checkMergePatchFields([])).toEqual({
      ok: false,
      error: {
        code: 'invalid-patch',
        message: 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
      },
    });
  });

  it('may not be too deep', () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < MAX_PATCH_DEPTH; i++) deep = { a: deep };
    expect(apply(cloneJson(deep) as JsonObject, deep)).toEqual(deep);
    expect(apply({}, { a: deep })).toBe('invalid-patch: exceeded max depth');
    expect(diffMergePatch({}, { a: deep })).toMatchObject({ ok: false, error: { code: 'unprocessable' } });
  });

  it('cannot reach a prototype', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    const result = apply({}, patch) as JsonObject;
    expect(Object.keys(result)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  // Null fields inside lists are excluded: the reference keeps them where the list replaces an object and drops them
  // the second time.
  it('gives the same when applied twice, and is not changed', () => {
    const { patch: patches } = fc.letrec<{ value: JsonValue; patch: JsonObject }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, 1, 'x'),
        tie('patch'),
        fc.array(objects([1, 'x'])),
      ),
      patch: fc.dictionary(KEYS, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(objects([null, 1, 2, 'x', true]), patches, (document, patch) => {
        const before = cloneJson(patch);
        const once = apply(cloneJson(document), patch) as JsonObject;
        expect(equalJson(patch, before)).toBe(true);
        expect(equalJson(apply(cloneJson(once), patch), once)).toBe(true);
      }),
      { seed: 71, numRuns: 400 },
    );
  });

  it('shares nothing with its result', () => {
    const patch = { a: { b: [1] }, c: [{ d: 1 }] };
    const result = apply({ c: { x: 1 } }, patch) as { a: { b: number[] }; c: { d: number }[] };
    result.a.b.push(2);
    result.c.push({ d: 2 });
    expect(patch).toEqual({ a: { b: [1] }, c: [{ d: 1 }] });
  });
});

describe('diffMergePatch', () => {
  it('names the changed fields', () => {
    expect(diffMergePatch({ a: 1, b: { c: 1, d: 1 }, l: [1], s: {} }, { b: { c: 2, d: 1 }, l: [2], s: {} })).toEqual({
      ok: true,
      value: { a: null, b: { c: 2 }, l: [2] },
    });
  });

  it('gives a patch that leads from one object to the other, if that has no null fields', () => {
    fc.assert(
      fc.property(objects([null, 1, 'x', 9007199254740993n]), objects([1, 2, 'x', true]), (from, to) => {
        const patch = diffMergePatch(from, to);
        expect(patch.ok && equalJson(apply(cloneJson(from), patch.value), to)).toBe(true);
      }),
      { seed: 72, numRuns: 500 },
    );
  });
});
