import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRD_V1 } from '../apiextensions/definition/crd-definition.ts';
import { normalizeTyped } from '../apimachinery/codec/typed-normalize.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { decodeProblems } from './decode-problems.ts';
import { CRON_TAB, readText } from './scaffold.fixtures.ts';

/** Replaces the value at the n-th place of a value by another. */
function replaceNth(value: JsonValue, n: { left: number }, by: JsonValue): JsonValue {
  if (n.left-- === 0) return by;
  if (Array.isArray(value)) return value.map((item) => replaceNth(item, n, by));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceNth(item, n, by)]));
}

describe('decode problems', () => {
  it('are wrong types exactly where decoding fails', async () => {
    const [manifest] = (await readText(CRON_TAB)).manifests;
    const definition = manifest?.object as JsonObject;
    const view = CRD_V1.type();
    const scalar = fc.constantFrom<JsonValue>(null, true, 0, -1, 1.5, 2 ** 40, '', 'x', [], {}, ['x'], { a: 1 }, [{}]);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(120), scalar), { minLength: 1, maxLength: 4 }), (changes) => {
        let object: JsonValue = cloneJson(definition);
        for (const [n, by] of changes) object = replaceNth(object, { left: n + 1 }, by);
        const wrong = decodeProblems(object, view).filter(({ unknown }) => !unknown);
        expect(wrong.length > 0).toBe(!normalizeTyped(object as JsonObject, view).ok);
      }),
      { numRuns: 2_000, seed: 13 },
    );
  });

  it('are none for an object that fits', async () => {
    const [manifest] = (await readText(CRON_TAB)).manifests;
    expect(decodeProblems(manifest?.object as JsonObject, CRD_V1.type())).toEqual([]);
  });
});
