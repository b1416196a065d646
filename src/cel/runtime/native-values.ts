/**
 * The lists and maps that expressions create, and values of plain JSON.
 *
 * Invariant: only the accumulator of a running comprehension is modified (GrowingList, GrowingMap).
 */
import { getField, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { CelDouble, CelError, CelList, CelMap, type CelObject, CelUint, type Value } from '../values.ts';
import { formatPlain } from './format-value.ts';
import { intOf } from './integers.ts';

export class NativeList extends CelList {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** A concatenation that does not copy. */
export class JoinedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;
  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }
  at(index: number): Value {
    const border = this.#first.size;
    return index < border ? this.#first.at(index) : this.#second.at(index - border);
  }
}

/** The accumulator of a comprehension that collects a list: `+` appends to it. */
export class GrowingList extends CelList {
  readonly #items: Value[] = [];
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return this.#items[index] as Value;
  }
  append(list: CelList): void {
    for (let index = 0; index < list.size; index++) this.#items.push(list.at(index));
  }
  /** The list as an immutable value. `append` must not be called afterwards. */
  finish(): NativeList {
    return new NativeList(this.#items);
  }
}

/** `first + second`. */
export function concatLists(first: CelList, second: CelList): CelList {
  if (first instanceof GrowingList) {
    first.append(second);
    return first;
  }
  if (first.concat !== undefined) return first.concat(second);
  if (first.size === 0) return second;
  if (second.size === 0) return first;
  return new JoinedList(first, second);
}

type HashedKey = string | number | bigint | boolean;

/** The JavaScript key of a CEL key. `1`, `1u` and `1.0` have the same. Undefined for values that cannot be keys. */
export function hashKey(key: Value): HashedKey | undefined {
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean' || typeof key === 'bigint')
    return key;
  if (key instanceof CelUint) return key.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(key.value) : key.value;
  if (key instanceof CelDouble && Number.isInteger(key.value))
    return Number.isSafeInteger(key.value) ? key.value + 0 : BigInt(key.value);
  return undefined;
}

export class NativeMap extends CelMap {
  readonly #values: Map<HashedKey, Value> = new Map();
  readonly #keys: Map<HashedKey, Value> = new Map();

  /** Of equal keys the last entry counts. Throws CelError for a value that cannot be a key. */
  constructor(entries: Iterable<readonly [Value, Value]>) {
    super();
    for (const [key, value] of entries) this.put(key, value);
  }
  get size(): number {
    return this.#values.size;
  }
  get(key: Value): Value | undefined {
    const hashed = hashKey(key);
    return hashed === undefined ? undefined : this.#values.get(hashed);
  }
  keys(): Iterable<Value> {
    return this.#keys.values();
  }
  /** Called by the constructor and by GrowingMap only. */
  protected put(key: Value, value: Value): void {
    const hashed = hashKey(key);
    if (hashed === undefined) throw new CelError(`unsupported key type: ${formatPlain(key)}`);
    this.#keys.set(hashed, key);
    this.#values.set(hashed, value);
  }
}

/** The accumulator of a comprehension that collects a map. */
export class GrowingMap extends NativeMap {
  constructor() {
    super([]);
  }
  insert(key: Value, value: Value): void {
    this.put(key, value);
  }
}

/** Adds an entry. Throws CelError if the map has the key. */
export function insertEntry(map: CelMap, key: Value, value: Value): CelMap {
  if (map.get(key) !== undefined) throw new CelError(`insert failed: key ${formatPlain(key)} already exists`);
  if (map instanceof GrowingMap) {
    map.insert(key, value);
    return map;
  }
  return new NativeMap([...entriesOf(map), [key, value]]);
}

export function* itemsOf(list: CelList): Generator<Value> {
  for (let index = 0; index < list.size; index++) yield list.at(index);
}

export function* entriesOf(map: CelMap): Generator<readonly [Value, Value]> {
  for (const key of map.keys()) yield [key, map.get(key) as Value];
}

/** The fields of an object that are set, as a map. */
export function mapOfObject(object: CelObject): NativeMap {
  const entries: [Value, Value][] = [];
  for (const field of object.type.fieldNames()) {
    const value = object.get(field);
    if (value !== undefined) entries.push([field, value]);
  }
  return new NativeMap(entries);
}

/** A list of plain JSON. Items are converted when they are read. */
export class JsonList extends CelList {
  readonly #items: readonly JsonValue[];
  constructor(items: readonly JsonValue[]) {
    super();
    this.#items = items;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return valueFromJson(this.#items[index] as JsonValue);
  }
}

/** An object of plain JSON. Its values are converted when they are read. */
export class JsonMap extends CelMap {
  readonly #object: JsonObject;
  constructor(object: JsonObject) {
    super();
    this.#object = object;
  }
  get size(): number {
    return Object.keys(this.#object).length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const value = getField(this.#object, key);
    return value === undefined ? undefined : valueFromJson(value);
  }
  keys(): Iterable<Value> {
    return Object.keys(this.#object);
  }
}

/**
 * Converts JSON without a schema: integers to ints, other numbers to doubles, arrays to lists, objects to maps. The
 * caller must not modify `json` while the value is in use, because lists and maps read it.
 */
export function valueFromJson(json: JsonValue): Value {
  switch (typeof json) {
    case 'number':
      return Number.isSafeInteger(json) ? json + 0 : new CelDouble(json);
    case 'bigint':
      return intOf(json);
    case 'object':
      if (json === null) return null;
      return Array.isArray(json) ? new JsonList(json) : new JsonMap(json as JsonObject);
    default:
      return json;
  }
}
