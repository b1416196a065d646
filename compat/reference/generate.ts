/** Generators of questions: nearly valid texts, JSON values, and values of a type view. */

import type { ScalarType, StructView, TypeView } from '../../src/apimachinery/type-view.ts';
import { type JsonObject, type JsonValue, setField } from '../../src/base/json-value.ts';
import type { Random } from '../../test/fuzz/random.ts';

export function repeat(random: Random, most: number, make: () => string): string {
  return Array.from({ length: random.int(most + 1) }, make).join('');
}

/** Returns a text over an alphabet, sometimes with one other character. */
export function text(random: Random, alphabet: string, most: number): string {
  return repeat(random, most, () =>
    random.int(40) === 0 ? random.pick([...' .-_/~%é"\\\n🚢A0']) : random.pick([...alphabet]),
  );
}

export function jsonValue(random: Random, depth: number): JsonValue {
  switch (random.int(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return random.int(2) === 0;
    case 2:
      return random.int(20) - 5;
    case 3:
      return random.pick([0.5, -1.25, 1e21, 9007199254740993n, -9223372036854775808n, 9223372036854775807n, 1e-7]);
    case 4:
    case 5:
      return random.pick(['', 'a', 'b', 'é', '<&>', 'line\nbreak', '\u2028', '0']);
    case 6:
      return Array.from({ length: random.int(4) }, () => jsonValue(random, depth - 1));
    default:
      return jsonObject(random, depth);
  }
}

const KEYS = ['a', 'b', 'c', 'a/b', '~', '0', '1', '', '__proto__', 'constructor'];

export function jsonObject(random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  for (let left = random.int(4); left > 0; left--) setField(object, random.pick(KEYS), jsonValue(random, depth - 1));
  return object;
}

const SCALARS: Readonly<Record<ScalarType, (random: Random) => JsonValue>> = {
  string: (random) => random.pick(['', 'a', 'b', 'c', 'web', 'größe']),
  boolean: (random) => random.int(2) === 0,
  int32: (random) => random.pick([0, 1, -1, 80, 443, 2147483647, -2147483648]),
  int64: (random) =>
    random.pick([0, 1, -1, 1700000000, 9007199254740993n, 9223372036854775807n, -9223372036854775808n]),
  uint32: (random) => random.pick([0, 1, 4294967295]),
  uint64: (random) => random.pick([0, 1, 9007199254740993n]),
  float: (random) => random.pick([0, 0.5, -2]),
  double: (random) => random.pick([0, 0.1, -2.5e10]),
  bytes: (random) => random.pick(['', 'AA==', 'aGVsbG8=', '/+8A']),
  quantity: (random) => random.pick(['0', '1', '100m', '1Ki', '1.5Gi', '1e3', '12E', '0.5', 1, '1n']),
  'int-or-string': (random) => random.pick<JsonValue>([0, 80, 'http', '25%', '']),
  time: (random) =>
    random.pick<JsonValue>([null, '2024-02-29T12:00:00Z', '1999-12-31T23:59:59Z', '2030-01-01T01:00:00+01:00']),
  'micro-time': (random) =>
    random.pick<JsonValue>([null, '2024-02-29T12:00:00.000001Z', '1999-12-31T23:59:59.999999Z']),
  duration: (random) => random.pick(['0s', '1h30m0s', '1.5s']),
};

/**
 * Returns a valid value of a view. `fill` is the probability of each optional field. The merge keys of lists are
 * distinct only by chance.
 */
export function valueOfView(view: TypeView, random: Random, fill: number): JsonValue {
  switch (view.kind) {
    case 'scalar':
      return SCALARS[view.scalar](random);
    case 'struct':
      return structOf(view, random, fill);
    case 'map': {
      const object: JsonObject = {};
      for (let left = random.int(3); left > 0; left--)
        object[random.pick(['a', 'b', 'k8s.io/x'])] = valueOfView(view.values, random, fill);
      return object;
    }
    case 'list':
      return Array.from({ length: random.int(4) }, () => valueOfView(view.items, random, fill));
    case 'any':
      return jsonObject(random, 2);
  }
}

export function structOf(view: StructView, random: Random, fill: number): JsonObject {
  const object: JsonObject = {};
  for (const field of view.fields()) {
    if (random.next() < fill) object[field.name] = valueOfView(field.type, random, fill);
  }
  return object;
}
