/** Round trips of random values, and bytes that something happened to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { FieldView, ScalarType, StructView, TypeView, WireFacts } from '../type-view.ts';
import { configMap, decoded, encoded, event, node, odds, pod, schema } from './core-facts.fixtures.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

/** Values in the form that Go prints, so that a round trip changes nothing. */
function canonical(type: TypeView, depth: number): fc.Arbitrary<JsonValue> {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'list':
      return fc.array(canonical(type.items, depth + 1), { maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.string({ maxLength: 5 }), canonical(type.values, depth + 1), {
        maxKeys: 3,
      }) as fc.Arbitrary<JsonValue>;
    case 'any':
      return fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue[]>(1, 'x', true, 9_007_199_254_740_993n, [], {}),
        fc.dictionary(fc.string({ maxLength: 4 }), fc.constantFrom<JsonValue[]>(1.5, null, '<é>', [{}]), {
          maxKeys: 2,
        }) as fc.Arbitrary<JsonValue>,
      );
    case 'struct':
      return fc
        .record(
          Object.fromEntries(
            [...type.fields()]
              .filter((field) => field.wire !== undefined)
              .map((field) => [field.name, canonicalField(field, depth)]),
          ),
        )
        .map((object) => {
          const kept: JsonObject = {};
          for (const [name, value] of Object.entries(object)) if (value !== undefined) kept[name] = value;
          return kept;
        });
  }
}

function canonicalField(field: FieldView, depth: number): fc.Arbitrary<JsonValue | undefined> {
  const { type } = field;
  const wire = field.wire as WireFacts;
  const absent = wire.omitEmpty ? undefined : null;
  if (wire.pointer) {
    if (depth > 3) return fc.constant(absent);
    return fc.option(
      canonical(type, depth + 1).map((value) => value ?? absent),
      { nil: absent as undefined },
    );
  }
  if (type.kind === 'list' || type.kind === 'map') {
    if (depth > 3) return fc.constant(absent);
    const some = canonical(type, depth + 1);
    return some.map((value) => (Object.keys(value as object).length === 0 && wire.wrapped !== true ? absent : value));
  }
  if (type.kind !== 'scalar') return canonical(type, depth + 1);
  return SCALARS[type.scalar].map((value) => {
    if (wire.omitZero === true && value === null) return undefined;
    return wire.omitEmpty &&
      (value === '' || value === 0 || value === false) &&
      !['int-or-string', 'quantity'].includes(type.scalar)
      ? undefined
      : value;
  });
}

const int64: fc.Arbitrary<JsonValue> = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
const text: fc.Arbitrary<JsonValue> = fc.string({ maxLength: 40 });
const SCALARS: Readonly<Record<ScalarType, fc.Arbitrary<JsonValue>>> = {
  string: text,
  boolean: fc.boolean(),
  int32: fc.integer(),
  int64: fc.oneof(int64, fc.constantFrom<JsonValue[]>(0, 1, -1)),
  uint32: fc.nat(),
  uint64: fc.nat(),
  float: fc.constantFrom(0, 0.5, -2.25),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => btoa(String.fromCharCode(...bytes))),
  quantity: fc.constantFrom('0', '1', '100m', '1Gi', '-5k', '1e3', '123456789012345678901234567890'),
  'int-or-string': fc.oneof(fc.integer(), text),
  time: fc.oneof(
    fc.constant(null),
    fc.nat(2_000_000_000).map((at) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`),
  ),
  'micro-time': fc.oneof(
    fc.constant(null),
    fc.nat(999).map((at) => `2001-02-03T04:05:06.${String(at).padStart(6, '0')}Z`),
  ),
  duration: fc.constantFrom('0s', '1.5s', '-3m0s', '2562047h47m16.854775807s'),
};

describe('a round trip', () => {
  it('keeps types whose JSON form is not that of their fields', () => {
    const value = {
      type: 'object',
      items: [{ type: 'string' }, {}],
      properties: { a: { items: { items: {} } } },
      dependencies: { b: ['c'], d: { type: 'x' }, e: null },
    };
    expect(decoded(schema, encoded(schema, value))).toEqual(value);
    expect(encodeMessage(schema, { items: 5 })).toMatchObject({
      ok: false,
      error: { message: 'has none of the forms of its type' },
    });
  });

  it.each<[string, StructView, number]>([
    ['Pod', pod, 120],
    ['ConfigMap', configMap, 60],
    ['Event', event, 60],
    ['Odds', odds, 120],
    ['a type that holds itself', node, 60],
  ])('of %s through bytes changes nothing', (_, view, numRuns) => {
    fc.assert(
      fc.property(canonical(view, 0), (value) => {
        expect(decoded(view, encoded(view, value))).toEqual(value);
      }),
      { seed: 6, numRuns },
    );
  });
});

describe('mutated bytes', () => {
  it('give a value or an error with an offset inside them, and never throw', () => {
    const seen = { ok: 0, failed: 0 };
    const views = [pod, configMap, event, odds, node];
    const mutation = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.nat(2) });
    fc.assert(
      fc.property(
        fc.nat(views.length - 1),
        fc.array(fc.tuple(fc.nat(), mutation), { minLength: 10, maxLength: 10 }),
        fc.gen(),
        (which, all, gen) => {
          const view = views[which] as StructView;
          const bytes = encoded(view, gen(canonical, view, 0));
          for (const [, { at, byte, how }] of all) {
            const place = at % (bytes.length + 1);
            const rest = bytes.subarray(Math.min(place + (how === 0 ? 1 : 0), bytes.length));
            const mutated = Uint8Array.of(...bytes.subarray(0, place), ...(how === 2 ? [] : [byte]), ...rest);
            const result = decodeMessage(view, mutated);
            if (result.ok) seen.ok++;
            else {
              seen.failed++;
              expect(result.error.offset).toBeGreaterThanOrEqual(0);
              expect(result.error.offset).toBeLessThanOrEqual(mutated.length);
            }
          }
        },
      ),
      { seed: 7, numRuns: 100 },
    );
    expect(seen.ok).toBeGreaterThan(50);
    expect(seen.failed).toBeGreaterThan(50);
  });
});
