/**
 * A type with every kind of merge, and generators of its values, for tests. There are few names and values, so that
 * writers often write the same fields.
 */
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { Converter } from './converter.ts';
import { DEDUCED, freeMap, ListType, MapType, type MergeField, MergeType, UNTYPED_ATOMIC } from './merge-type.ts';

const string = new MergeType({ scalar: 'string' });
const numeric = new MergeType({ scalar: 'numeric' });

/** An object type with these fields. */
export function structType(fields: Readonly<Record<string, MergeType | MergeField>>, atomic = false): MergeType {
  return new MergeType({
    map: new MapType(atomic, () => ({
      fields: new Map(
        Object.entries(fields).map(([name, field]) => [
          name,
          field instanceof MergeType ? { type: field, defaultValue: undefined } : field,
        ]),
      ),
      values: undefined,
    })),
  });
}

const item: MergeType = structType({
  name: string,
  value: numeric,
  labels: new MergeType({ map: freeMap(() => string) }),
});
const port: MergeType = structType({
  port: numeric,
  protocol: { type: string, defaultValue: 'TCP' },
  name: string,
});

/**
 * One of each: scalars, a struct, granular and atomic maps, atomic, set and map lists, keys with a default, deduced and
 * untyped values.
 */
export const TYPE: MergeType = structType({
  text: string,
  number: numeric,
  inner: structType({ text: string, number: numeric }),
  point: structType({ x: numeric, y: numeric }, true),
  map: new MergeType({ map: freeMap(() => string) }),
  whole: new MergeType({ map: freeMap(() => string, true) }),
  list: new MergeType({ list: new ListType({ relation: 'atomic', items: () => string }) }),
  set: new MergeType({ list: new ListType({ relation: 'set', items: () => string }) }),
  items: new MergeType({ list: new ListType({ relation: 'map', keys: ['name'], items: () => item }) }),
  ports: new MergeType({ list: new ListType({ relation: 'map', keys: ['port', 'protocol'], items: () => port }) }),
  deduced: DEDUCED,
  untyped: UNTYPED_ATOMIC,
});

const word = fc.constantFrom('a', 'b', 'c');
const digit = fc.constantFrom(1, 2, 3);
const wordMap = fc.dictionary(word, word, { maxKeys: 3 });

const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  word,
  digit,
  fc.constant<JsonValue>(null),
  fc.constant<JsonValue>([1, 'a']),
  wordMap,
  fc.dictionary(word, fc.oneof<fc.Arbitrary<JsonValue>[]>(digit, wordMap, fc.constant(null)), { maxKeys: 2 }),
);

const anItem = fc.record({ name: word, value: digit, labels: wordMap }, { requiredKeys: ['name'] });
const aPort = fc.record(
  { port: digit, protocol: fc.constantFrom('TCP', 'UDP'), name: word },
  { requiredKeys: ['port'] },
);

/** Values of `TYPE` without duplicates. Nulls are rare, because they hide what is below. */
export const typedObject: fc.Arbitrary<JsonObject> = fc.record(
  {
    text: word,
    number: fc.option(digit, { freq: 6 }),
    inner: fc.option(fc.record({ text: word, number: digit }, { requiredKeys: [] }), { freq: 6 }),
    point: fc.record({ x: digit, y: digit }, { requiredKeys: [] }),
    map: fc.option(wordMap, { freq: 6 }),
    whole: wordMap,
    list: fc.array(word, { maxLength: 3 }),
    set: fc.uniqueArray(word, { maxLength: 3 }),
    items: fc.uniqueArray(anItem, { maxLength: 3, selector: ({ name }) => name }),
    ports: fc.uniqueArray(aPort, { maxLength: 3, selector: (p) => `${p.port}/${p.protocol ?? 'TCP'}` }),
    deduced: anything,
    untyped: anything,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

/** Values whose parts never change their kind and are never null: on these, ownership follows simple laws. */
export const plainObject: fc.Arbitrary<JsonObject> = fc.record(
  {
    text: word,
    number: digit,
    inner: fc.record({ text: word, number: digit }, { requiredKeys: [] }),
    point: fc.record({ x: digit, y: digit }, { requiredKeys: [] }),
    map: wordMap,
    whole: wordMap,
    list: fc.array(word, { maxLength: 3 }),
    set: fc.uniqueArray(word, { maxLength: 3 }),
    items: fc.uniqueArray(anItem, { maxLength: 3, selector: ({ name }) => name }),
    ports: fc.uniqueArray(aPort, { maxLength: 3, selector: (p) => `${p.port}/${p.protocol ?? 'TCP'}` }),
    deduced: fc.dictionary(word, digit, { maxKeys: 3 }),
    untyped: fc.dictionary(word, digit, { maxKeys: 3 }),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

/**
 * Configurations without empty objects and lists. An empty associative list owns nothing, and what a removal empties
 * becomes null, so applying such parts again may change an object again.
 */
export const filledObject: fc.Arbitrary<JsonObject> = plainObject.map((object) => withoutHollow(object) as JsonObject);

function withoutHollow(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutHollow);
  if (!isJsonObject(value)) return value;
  const filled = Object.entries(value).map(([key, item]): [string, JsonValue] => [key, withoutHollow(item)]);
  return Object.fromEntries(
    filled.filter(([, item]) => typeof item !== 'object' || Object.keys(item ?? {}).length > 0),
  );
}

/** Two configurations that have no field in common. */
export const independentObjects: fc.Arbitrary<[JsonObject, JsonObject]> = fc
  .tuple(filledObject, fc.infiniteStream(fc.boolean()))
  .map(([object, coin]) => {
    const isFirst = (): boolean => coin.next().value as boolean;
    const parts: [JsonObject, JsonObject] = [{}, {}];
    for (const [key, value] of Object.entries(object)) {
      if (['map', 'deduced', 'inner'].includes(key))
        for (const [name, item] of Object.entries(value as JsonObject)) {
          const part = parts[isFirst() ? 0 : 1];
          part[key] = { ...(part[key] as JsonObject), [name]: item };
        }
      else if (['set', 'items', 'ports'].includes(key))
        for (const item of value as JsonValue[]) {
          const part = parts[isFirst() ? 0 : 1];
          part[key] = [...((part[key] ?? []) as JsonValue[]), item];
        }
      else parts[isFirst() ? 0 : 1][key] = value;
    }
    return parts;
  });

/** One version, one type. */
export const SINGLE_VERSION: Converter = {
  typeAt: (apiVersion) => (apiVersion === 'v1' ? TYPE : undefined),
  convert: (object) => object,
};
