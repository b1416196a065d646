import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from './bytes.ts';
import { isBugError } from './errors.ts';
import { MAX_JSON_DEPTH, readJson } from './json-read.ts';
import type { JsonArray, JsonObject, JsonValue } from './json-value.ts';
import { writeJson, writeJsonBytes } from './json-write.ts';

describe('writeJson', () => {
  it('prints bigints with all digits and keeps the order of keys', () => {
    expect(writeJson({ b: 9223372036854775807n, a: [1n, { c: -9223372036854775808n }], e: {}, f: [] })).toBe(
      '{"b":9223372036854775807,"a":[1,{"c":-9223372036854775808}],"e":{},"f":[]}',
    );
  });

  it('escapes what Go escapes, unless told not to', () => {
    expect(writeJson('<a&b>\u2028')).toBe('"\\u003ca\\u0026b\\u003e\\u2028"');
    expect(writeJson(['<', 1n])).toBe('["\\u003c",1]');
    expect(writeJson('<a&b>', { escapeHtml: false })).toBe('"<a&b>"');
  });

  it('indents alike with and without bigints', () => {
    const plain: JsonObject = { a: 1, b: [1, { c: null }], d: {}, e: [] };
    expect(writeJson({ ...plain, a: 1n }, { indent: 2 })).toBe(JSON.stringify(plain, undefined, 2));
    expect(writeJson(plain, { indent: 2 })).toBe(JSON.stringify(plain, undefined, 2));
  });

  it('leaves out undefined fields in both ways of writing', () => {
    const absent = { a: undefined } as unknown as JsonObject;
    expect(writeJson({ ...absent, b: 1 })).toBe('{"b":1}');
    expect(writeJson({ ...absent, b: 1n })).toBe('{"b":1}');
  });

  it('writes values as deep as a reader makes them and refuses one that holds itself', () => {
    const text = '['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH);
    const result = readJson(text);
    if (!result.ok) throw new Error(result.error.message);
    expect(writeJson(result.value)).toBe(text);
    const cycle: JsonArray = [];
    cycle.push(cycle);
    expect(() => writeJson(cycle)).toThrow(expect.toSatisfy(isBugError));
  });

  it('is the inverse of readJson', () => {
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'grapheme' }),
        fc
          .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
          .map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n)),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Number.isInteger(n) ? n % 2 ** 53 : n) + 0),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }).map((o) => ({ ...o })),
      ),
    }));
    fc.assert(
      fc.property(value, fc.boolean(), (v, escapeHtml) => {
        const bytes = writeJsonBytes(v, { escapeHtml });
        expect(decodeUtf8(bytes)).toBe(writeJson(v, { escapeHtml }));
        expect(readJson(bytes)).toEqual({ ok: true, value: v, duplicates: [] });
      }),
      { seed: 21, numRuns: 300 },
    );
  });
});
