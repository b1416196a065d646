import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, equalJson } from '../../base/json-value.ts';
import { applyJsonPatch } from './json-patch.ts';
import { checkJsonPatchFields, decodeJsonPatch } from './json-patch-decode.ts';
import { diffJson } from './json-patch-diff.ts';
import { jsonSize } from './json-patch-size.ts';
import { MAX_PATCH_DEPTH } from './patch-error.ts';

function apply(document: JsonValue, ...operations: JsonValue[]): JsonValue | string {
  const result = applyJsonPatch(document, operations);
  return result.ok ? result.value : `${result.error.code}: ${result.error.message}`;
}

function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

describe('operations of a JSON patch', () => {
  it('add fields and elements', () => {
    expect(apply({ a: 1 }, { op: 'add', path: '/b', value: 2 })).toEqual({ a: 1, b: 2 });
    expect(apply({ a: 1 }, { op: 'add', path: '/a', value: [] })).toEqual({ a: [] });
    expect(apply({ a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 })).toEqual({ a: [1, 2, 3] });
    expect(apply({ a: [1] }, { op: 'add', path: '/a/-', value: 2 })).toEqual({ a: [1, 2] });
    expect(apply({ a: [1] }, { op: 'add', path: '/a/1', value: 2 })).toEqual({ a: [1, 2] });
  });

  it('count negative indexes from the end, where -1 appends', () => {
    expect(apply({ a: [1, 2] }, { op: 'add', path: '/a/-1', value: 3 })).toEqual({ a: [1, 2, 3] });
    expect(apply({ a: [1, 2] }, { op: 'add', path: '/a/-3', value: 0 })).toEqual({ a: [0, 1, 2] });
    expect(apply({ a: [1, 2] }, { op: 'remove', path: '/a/-1' })).toEqual({ a: [1] });
    expect(apply({ a: [1, 2] }, { op: 'replace', path: '/a/-2', value: 5 })).toEqual({ a: [5, 2] });
    expect(apply({ a: [1, 2] }, { op: 'add', path: '/a/-4', value: 0 })).toBe(
      "unprocessable: error in add for path: '/a/-4': Unable to access invalid index: -4: invalid index referenced",
    );
  });

  it('remove fields and elements', () => {
    expect(apply({ a: 1, b: [1, 2] }, { op: 'remove', path: '/a' }, { op: 'remove', path: '/b/0' })).toEqual({
      b: [2],
    });
    expect(apply({}, { op: 'remove', path: '/a' })).toBe(
      "unprocessable: error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    );
    expect(apply({ a: [] }, { op: 'remove', path: '/a/0' })).toBe(
      "unprocessable: error in remove for path: '/a/0': Unable to access invalid index: 0: invalid index referenced",
    );
  });

  it('replace, also a field that is missing, but not an element that is', () => {
    expect(apply({ a: 1 }, { op: 'replace', path: '/a', value: null })).toEqual({ a: null });
    expect(apply({}, { op: 'replace', path: '/a', value: 1 })).toEqual({ a: 1 });
    expect(apply({ a: [] }, { op: 'replace', path: '/a/0', value: 1 })).toBe(
      'unprocessable: replace operation does not apply: doc is missing key: /a/0: missing value',
    );
    expect(apply({}, { op: 'replace', path: '/a/b', value: 1 })).toBe(
      'unprocessable: replace operation does not apply: doc is missing path: /a/b: missing value',
    );
  });

  it('replace the root by an object or a list only', () => {
    expect(apply({ a: 1 }, { op: 'replace', path: '', value: [1] }, { op: 'add', path: '/-', value: 2 })).toEqual([
      1, 2,
    ]);
    expect(apply({ a: 1 }, { op: 'replace', path: '', value: 5 })).toBe(
      'unprocessable: replace operation value must be object or array: %!w(<nil>)',
    );
  });

  it('move, taking the value away first', () => {
    expect(apply({ a: { b: 1 } }, { op: 'move', from: '/a/b', path: '/c' })).toEqual({ a: {}, c: 1 });
    expect(apply({ a: [1, 2, 3] }, { op: 'move', from: '/a/0', path: '/a/-' })).toEqual({ a: [2, 3, 1] });
    expect(apply({ a: { b: {} } }, { op: 'move', from: '/a', path: '/a/b' })).toBe(
      'unprocessable: move operation does not apply: doc is missing destination path: /a/b: missing value',
    );
    expect(apply({}, { op: 'move', from: '/a', path: '/b' })).toBe(
      "unprocessable: error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
    );
  });

  it('copy, where a missing field is null and copies are independent', () => {
    expect(
      apply({ a: { b: 1 } }, { op: 'copy', from: '/a', path: '/c' }, { op: 'add', path: '/c/b', value: 2 }),
    ).toEqual({ a: { b: 1 }, c: { b: 2 } });
    expect(apply({}, { op: 'copy', from: '/a', path: '/b' })).toEqual({ b: null });
    expect(apply({ a: 1 }, { op: 'copy', from: '/a', path: '/b/c' })).toBe(
      'unprocessable: copy operation does not apply: doc is missing destination path: /b/c: missing value',
    );
  });

  it('test by value, where a missing field equals null', () => {
    const document = { a: { b: [1, null], c: 'x' } };
    expect(apply(cloneJson(document), { op: 'test', path: '/a', value: { c: 'x', b: [1, null] } })).toEqual(document);
    expect(apply({}, { op: 'test', path: '/x', value: null })).toEqual({});
    expect(apply({ x: null }, { op: 'test', path: '/x' })).toEqual({ x: null });
    expect(apply({ x: 1 }, { op: 'test', path: '/x' })).toBe('unprocessable: testing value /x failed: test failed');
    expect(apply({ x: { a: 1, b: 1 } }, { op: 'test', path: '/x', value: { a: 1 } })).toBe(
      'unprocessable: testing value /x failed: test failed',
    );
    expect(apply({ x: 1 }, { op: 'test', path: '', value: { x: 1 } })).toEqual({ x: 1 });
    expect(apply({ n: 9007199254740993n }, { op: 'test', path: '/n', value: 9007199254740993n })).toEqual({
      n: 9007199254740993n,
    });
  });

  it('read ~1 and ~0 in paths, and ignore text before the first slash', () => {
    expect(apply({ 'a/b': 1, 'm~n': 2 }, { op: 'remove', path: '/a~1b' }, { op: 'remove', path: '/m~0n' })).toEqual({});
    expect(apply({}, { op: 'add', path: 'x/y', value: 1 })).toEqual({ y: 1 });
  });

  it('name the path that is missing', () => {
    expect(apply({}, { op: 'add', path: '/a/b', value: 1 })).toBe(
      'unprocessable: add operation does not apply: doc is missing path: "/a/b": missing value',
    );
    expect(apply({ a: null }, { op: 'remove', path: '/a/b' })).toBe(
      'unprocessable: remove operation does not apply: doc is missing path: "/a/b": missing value',
    );
    expect(apply({ a: 'x' }, { op: 'test', path: '/a/b', value: 1 })).toBe(
      'unprocessable: test operation does not apply: is missing path: /a/b: missing value',
    );
    const result = applyJsonPatch({}, [{ op: 'add', path: '/a/b', value: 1 }]);
    expect(result).toMatchObject({ ok: false, error: { path: '/a/b' } });
  });

  it('read indexes as the reference does', () => {
    expect(apply({ a: [] }, { op: 'add', path: '/a/x"', value: 1 })).toBe(
      `unprocessable: error in add for path: '/a/x"': value was not a proper array index: 'x"': strconv.Atoi: parsing "x\\"": invalid syntax`,
    );
    expect(apply({ a: [1] }, { op: 'test', path: '/a/99999999999999999999', value: 1 })).toBe(
      `unprocessable: error in test for path: '/a/99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range`,
    );
    expect(apply({ a: [1] }, { op: 'test', path: '/a/9223372036854775807', value: 1 })).toBe(
      "unprocessable: error in test for path: '/a/9223372036854775807': Unable to access invalid index: 9223372036854775807: invalid index referenced",
    );
    expect(apply({ a: [7] }, { op: 'test', path: '/a/+00', value: 7 })).toEqual({ a: [7] });
  });

  it('refuse operations without op, path or from', () => {
    expect(apply({}, {})).toBe('unprocessable: Unexpected kind: unknown');
    expect(apply({}, null)).toBe('unprocessable: Unexpected kind: unknown');
    expect(apply({}, { op: 'spin', path: '/a' })).toBe('unprocessable: Unexpected kind: spin');
    expect(apply({}, { op: 'add' })).toBe('unprocessable: add operation failed to decode path: missing value');
    expect(apply({}, { op: 'replace', path: 5 })).toBe(
      'unprocessable: replace operation failed to decode path: json: cannot unmarshal number into Go value of type string',
    );
    expect(apply({}, { op: 'move', path: '/a' })).toBe(
      'unprocessable: move operation failed to decode from: operation, missing from field: missing value',
    );
  });
});

describe('a JSON patch', () => {
  it('must be a list of objects', () => {
    expect(decodeJsonPatch({})).toEqual({
      ok: false,
      error: { code: 'invalid-patch', message: 'json: cannot unmarshal object into Go value of type jsonpatch.Patch' },
    });
    expect(decodeJsonPatch([5])).toMatchObject({
      error: { message: 'json: cannot unmarshal number into Go value of type jsonpatch.Operation' },
    });
    expect(decodeJsonPatch(null)).toEqual({ ok: true, value: [] });
  });

  it('has at most 10,000 operations', () => {
    const operations = (count: number): JsonArray =>
      Array.from({ length: count }, () => ({ op: 'add', path: '/a', value: 1 }));
    expect(applyJsonPatch({}, operations(10_000))).toEqual({ ok: true, value: { a: 1 } });
    expect(applyJsonPatch({}, operations(10_001))).toEqual({
      ok: false,
      error: {
        code: 'too-large',
        message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
      },
    });
  });

  it('may copy at most 3 MiB', () => {
    const half = 'x'.repeat(1.5 * 1024 * 1024 - 2);
    const copy = (path: string): JsonObject => ({ op: 'copy', from: '/a', path });
    expect(applyJsonPatch({ a: half }, [copy('/b'), copy('/c')]).ok).toBe(true);
    expect(apply({ a: `${half}y` }, copy('/b'), copy('/c'))).toBe(
      'unprocessable: Unable to complete the copy, the accumulated size increase of copy is 3145730, exceeding the limit 3145728',
    );
  });

  it('may not nest deeper than the limit, by whatever operations', () => {
    expect(applyJsonPatch({}, [{ op: 'add', path: '/a', value: nested(MAX_PATCH_DEPTH - 3) }]).ok).toBe(true);
    expect(apply({}, { op: 'add', path: '/a', value: nested(MAX_PATCH_DEPTH) })).toBe(
      'invalid-patch: exceeded max depth',
    );
    expect(apply({ a: nested(600), b: nested(600) }, { op: 'move', from: '/b', path: `${'/a'.repeat(500)}/b` })).toBe(
      'unprocessable: exceeded max depth',
    );
  });

  it('may not shift list elements without end', () => {
    const document = { a: Array.from({ length: 400_000 }, () => 0) };
    const result = applyJsonPatch(
      document,
      Array.from({ length: 1_300 }, () => ({ op: 'add', path: '/a/0', value: 1 })),
    );
    expect(result).toMatchObject({ ok: false, error: { code: 'too-large' } });
  });

  it('applies to objects and lists only', () => {
    expect(apply(5)).toBe('unprocessable: json: cannot unmarshal number into Go value of type jsonpatch.partialDoc');
  });

  it('treats names of inherited properties as plain fields', () => {
    expect(apply({}, { op: 'add', path: '/__proto__/polluted', value: 1 })).toBe(
      'unprocessable: add operation does not apply: doc is missing path: "/__proto__/polluted": missing value',
    );
    expect(apply({}, { op: 'remove', path: '/constructor' })).toContain('nonexistent key: constructor');
    const result = apply({}, { op: 'add', path: '/__proto__', value: { polluted: 1 } }) as JsonObject;
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });

  it('changes the document in place and leaves the patch alone', () => {
    const document = { a: [1] };
    const patch = [
      { op: 'add', path: '/b', value: { c: 1 } },
      { op: 'add', path: '/b/c', value: 2 },
    ];
    const copy = cloneJson(patch);
    const result = applyJsonPatch(document, patch);
    expect(result.ok && result.value).toBe(document);
    expect(document).toEqual({ a: [1], b: { c: 2 } });
    expect(patch).toEqual(copy);
  });

  it('reports unknown fields and refuses mistyped ones for strict decoding', () => {
    expect(checkJsonPatchFields([{ op: 'add', path: '/a' }, null, { from: null, value: {} }])).toEqual({
      ok: true,
      value: false,
    });
    expect(checkJsonPatchFields([{ op: 'add' }, { Path: '/a' }])).toEqual({ ok: true, value: true });
    expect(checkJsonPatchFields([{ op: 5 }])).toMatchObject({
      error: {
        code: 'invalid-patch',
        message:
          'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
      },
    });
    expect(checkJsonPatchFields({})).toMatchObject({ error: { code: 'invalid-patch' } });
  });
});

describe('diffJson', () => {
  it('describes small changes by few operations', () => {
    expect(diffJson({ a: 1, b: [1, 2, 3], 'c/d': {} }, { b: [1, 3], 'c/d': { e: null } })).toEqual([
      { op: 'remove', path: '/a' },
      { op: 'remove', path: '/b/1' },
      { op: 'add', path: '/c~1d/e', value: null },
    ]);
    expect(diffJson({ a: [1, 2] }, { a: [1, 5, 6, 2] })).toEqual([
      { op: 'add', path: '/a/1', value: 5 },
      { op: 'add', path: '/a/2', value: 6 },
    ]);
  });

  it('replaces the document where there would be too many operations', () => {
    const to = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, i]));
    expect(diffJson({}, to)).toEqual([{ op: 'replace', path: '', value: to }]);
    expect(diffJson({}, [])).toEqual([{ op: 'replace', path: '', value: [] }]);
  });

  it('gives a patch that leads from one document to the other', () => {
    const key = fc.constantFrom('a', 'b', 'c/d', 'm~n', '', '0', '-', '__proto__', 'constructor');
    const { value } = fc.letrec<{ value: JsonValue; object: JsonObject; list: JsonArray }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, true, false, 0, 1, 1.5, 'x', 'y', 9007199254740993n),
        tie('object'),
        tie('list'),
      ),
      object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      list: fc.array(tie('value'), { maxLength: 5 }),
    }));
    const root = value.filter((v): v is JsonObject | JsonArray => typeof v === 'object' && v !== null);
    fc.assert(
      fc.property(root, root, (from, to) => {
        const patch = diffJson(from, to);
        const result = applyJsonPatch(cloneJson(from), patch);
        expect(result.ok && equalJson(result.value, to)).toBe(true);
        expect(diffJson(to, to)).toEqual([]);
      }),
      { seed: 62, numRuns: 500 },
    );
  });
});

describe('jsonSize', () => {
  it('counts the bytes of compact JSON', () => {
    const encoder = new TextEncoder();
    for (const value of [{}, [], { a: [1, 'é', null], b: { c: true } }, 'a"\\\n\u0001', '😀', 1.5, -3, '€']) {
      expect(jsonSize(value)).toBe(encoder.encode(JSON.stringify(value)).length);
    }
    expect(jsonSize('<>&')).toBe(20);
    expect(jsonSize(9007199254740993n)).toBe(16);
  });
});
