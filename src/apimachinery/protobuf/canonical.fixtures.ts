/** Arbitrary values of a type, in the form that Go prints, so that a round trip through protobuf changes nothing. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import type { FieldView, ScalarType, TypeView, WireFacts } from '../type-view.ts';

export function canonical(type: TypeView, depth: number): fc.Arbitrary<JsonValue> {
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
