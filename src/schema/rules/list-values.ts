/**
 * The CEL lists over JSON arrays. Set lists and map lists are compared without regard to order; `+` is a union for sets
 * and a merge for maps.
 */
import { encodeBase64 } from '../../base/base64.ts';
import type { JsonArray, JsonValue } from '../../base/json-value.ts';
import { equalValues } from '../../cel/runtime/equality.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelTimestamp,
  CelUint,
  type Value,
} from '../../cel/values.ts';
import type { Adapter } from './adapter.ts';
import { escapeName } from './escape-name.ts';

/** A list over JSON. Items are converted when they are read. */
abstract class LazyList extends CelList {
  readonly items: JsonArray;
  readonly adapt: Adapter;

  constructor(items: JsonArray, adapt: Adapter) {
    super();
    this.items = items;
    this.adapt = adapt;
  }

  override get size(): number {
    return this.items.length;
  }

  override at(index: number): Value {
    return this.adapt(this.items[index] as JsonValue);
  }
}

/** A list without a list type, or an atomic one. */
export class JsonList extends LazyList {}

/** A list of CEL values: the result of a union or merge. */
class ValueList extends CelList {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.values = values;
  }

  override get size(): number {
    return this.values.length;
  }

  override at(index: number): Value {
    return this.values[index] as Value;
  }
}

/** A set list (`x-kubernetes-list-type: set`): unique scalars. */
export class SetList extends LazyList {
  override equals(other: CelList): boolean {
    return equalAsSets(this, other);
  }

  override concat(other: CelList): CelList {
    return union(this, other);
  }
}

class ValueSet extends ValueList {
  override equals(other: CelList): boolean {
    return equalAsSets(this, other);
  }

  override concat(other: CelList): CelList {
    return union(this, other);
  }
}

function equalAsSets(set: CelList, other: CelList): boolean {
  if (set.size !== other.size) return false;
  const known = new Set(valuesOf(set).map(scalarKey));
  return valuesOf(other).every((value) => known.has(scalarKey(value)));
}

/** The items of the first list in their order, then those items of the second that the first does not contain. */
function union(set: CelList, other: CelList): CelList {
  const values = valuesOf(set);
  const known = new Set(values.map(scalarKey));
  for (const value of valuesOf(other)) {
    const key = scalarKey(value);
    if (known.has(key)) continue;
    known.add(key);
    values.push(value);
  }
  return new ValueSet(values);
}

/** A map list (`x-kubernetes-list-type: map`): objects with unique keys. */
export class KeyedList extends LazyList {
  readonly #keys: readonly string[];

  constructor(items: JsonArray, adapt: Adapter, keys: readonly string[]) {
    super(items, adapt);
    this.#keys = keys;
  }

  override equals(other: CelList): boolean {
    return equalAsMaps(this, other, this.#keys);
  }

  override concat(other: CelList): CelList {
    return merge(this, other, this.#keys);
  }
}

class ValueMapList extends ValueList {
  readonly #keys: readonly string[];

  constructor(values: readonly Value[], keys: readonly string[]) {
    super(values);
    this.#keys = keys;
  }

  override equals(other: CelList): boolean {
    return equalAsMaps(this, other, this.#keys);
  }

  override concat(other: CelList): CelList {
    return merge(this, other, this.#keys);
  }
}

function equalAsMaps(list: CelList, other: CelList, keys: readonly string[]): boolean {
  if (list.size !== other.size) return false;
  const known = new Map(valuesOf(list).map((value) => [keyOf(value, keys), value]));
  return valuesOf(other).every((value) => {
    const ours = known.get(keyOf(value, keys));
    return ours !== undefined && equalValues(ours, value);
  });
}

/**
 * The items of the first list in their order, replaced by items of the second with the same keys, then the other items
 * of the second.
 */
function merge(list: CelList, other: CelList, keys: readonly string[]): CelList {
  const values = valuesOf(list);
  const places = new Map(values.map((value, i) => [keyOf(value, keys), i]));
  for (const value of valuesOf(other)) {
    const place = places.get(keyOf(value, keys));
    if (place === undefined) values.push(value);
    else values[place] = value;
  }
  return new ValueMapList(values, keys);
}

function valuesOf(list: CelList): Value[] {
  return Array.from({ length: list.size }, (_, i) => list.at(i));
}

function keyOf(item: Value, keys: readonly string[]): string {
  const fields = keys.map((key) => {
    const value = item instanceof CelObject || item instanceof CelMap ? item.get(escapeName(key) ?? key) : undefined;
    return value === undefined ? '' : scalarKey(value);
  });
  return JSON.stringify(fields);
}

/** A text that is equal for equal scalars only. */
function scalarKey(value: Value): string {
  if (value instanceof CelDouble || value instanceof CelUint) return `n${value.value}`;
  if (value instanceof CelTimestamp) return `t${value.nanos}`;
  if (value instanceof CelDuration) return `d${value.nanos}`;
  if (value instanceof Uint8Array) return `b${encodeBase64(value)}`;
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return `n${value}`;
    case 'string':
      return `s${value}`;
    default:
      return String(value);
  }
}
