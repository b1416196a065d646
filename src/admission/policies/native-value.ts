/**
 * The values of expressions as kube-apiserver converts them to Go: JSON, and values that JSON does not have. Those make
 * an apply configuration invalid; they are kept for the message.
 *
 * cel-go converts a list or map that an expression builds only where it is the value of a field of an object. Inside of
 * another list or map it stays a CEL value.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { formatDuration } from '../../apimachinery/scalars/duration.ts';
import { type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { LiteralObject } from '../../cel/runtime/constructors.ts';
import { formatLiteral, formatPlain } from '../../cel/runtime/format-value.ts';
import { entriesOf, itemsOf, JoinedList, JsonList, JsonMap } from '../../cel/runtime/native-values.ts';
import { floorDivide, formatTimestamp } from '../../cel/runtime/timestamps.ts';
import { runtimeTypeName, typeOfValue } from '../../cel/runtime/type-of-value.ts';
import { CelDouble, CelDuration, CelList, CelMap, CelTimestamp, CelUint, type Value } from '../../cel/values.ts';

/** A value that JSON does not have. */
export interface ForeignValue {
  /** Keys of objects and positions in lists, from the root. */
  readonly path: readonly (string | number)[];
  /** Its Go type, and its texts by `%v` and `%#v`. */
  readonly type: string;
  readonly plain: string;
  readonly sharp: string;
}

export interface NativeValue {
  /** Null in the places of foreign values. */
  readonly json: JsonValue;
  readonly foreign: readonly ForeignValue[];
}

export function nativeValue(object: LiteralObject): NativeValue {
  const conversion = new NativeConversion();
  return { json: conversion.value(object, []), foreign: conversion.foreign };
}

type ValuePath = ForeignValue['path'];

class NativeConversion {
  readonly foreign: ForeignValue[] = [];

  value(value: Value, path: ValuePath): JsonValue {
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'number':
      case 'bigint':
        return value;
    }
    if (value instanceof CelDouble) return value.value;
    if (value instanceof LiteralObject) return this.#literal(value, path);
    if (value instanceof JsonMap) return this.#map(value, path);
    if (value instanceof JsonList || value instanceof JoinedList) return this.#list(value, path);
    this.foreign.push({ path, ...foreignTexts(value) });
    return null;
  }

  /** An object with a map that has a key of another type than string is an error in the place of the object. */
  #literal(object: LiteralObject, path: ValuePath): JsonValue {
    for (const [field, value] of object.entries()) {
      const key = value instanceof CelMap ? Array.from(value.keys()).find((one) => typeof one !== 'string') : undefined;
      if (key === undefined) continue;
      const text = `fail to convert field ${quote(field)}: map key ${keyText(key)}, not string`;
      this.foreign.push({ path, type: '*types.Err', plain: text, sharp: text });
      return null;
    }
    return this.#object(object.entries(), path, (field, below) => this.#field(field, below));
  }

  /** Returns the value of a field of an object. */
  #field(value: Value, path: ValuePath): JsonValue {
    if (value instanceof CelList) return this.#list(value, path);
    if (value instanceof CelMap) return this.#map(value, path);
    return this.value(value, path);
  }

  #list(list: CelList, path: ValuePath): JsonValue {
    return Array.from(itemsOf(list), (item, i) => this.value(item, [...path, i]));
  }

  #map(map: CelMap, path: ValuePath): JsonValue {
    return this.#object(entriesOf(map), path, (value, below) => this.value(value, below));
  }

  #object(
    entries: Iterable<readonly [Value, Value]>,
    path: ValuePath,
    convert: (value: Value, path: ValuePath) => JsonValue,
  ): JsonObject {
    const object: JsonObject = {};
    for (const [key, value] of entries) {
      const name = formatPlain(key);
      setField(object, name, convert(value, [...path, name]));
    }
    return object;
  }
}

function foreignTexts(value: Value): Pick<ForeignValue, 'type' | 'plain' | 'sharp'> {
  if (value === null) return { type: 'structpb.NullValue', plain: 'NULL_VALUE', sharp: '0' };
  if (value instanceof CelTimestamp) {
    const plain = `${formatTimestamp(new CelTimestamp(value.nanos)).replace('T', ' ').replace('Z', '')} +0000 UTC`;
    return { type: 'time.Time', plain, sharp: goDate(value.nanos) };
  }
  if (value instanceof CelUint)
    return { type: 'uint64', plain: String(value.value), sharp: `0x${value.value.toString(16)}` };
  if (value instanceof CelDuration)
    return { type: 'time.Duration', plain: formatDuration(value.nanos), sharp: String(value.nanos) };
  if (value instanceof Uint8Array) {
    const sharp = Array.from(value, (byte) => `0x${byte.toString(16)}`).join(', ');
    return { type: '[]uint8', plain: `[${[...value].join(' ')}]`, sharp: `[]uint8{${sharp}}` };
  }
  if (value instanceof CelList) {
    const plain = Array.from(itemsOf(value), formatPlain).join(' ');
    const sharp = Array.from(itemsOf(value), formatLiteral).join(', ');
    return { type: '[]ref.Val', plain: `[${plain}]`, sharp: `[]ref.Val{${sharp}}` };
  }
  if (value instanceof CelMap) {
    const type = 'map[ref.Val]ref.Val';
    const texts = (format: (value: Value) => string): readonly string[] =>
      Array.from(entriesOf(value), ([key, item]) => `${format(key)}:${format(item)}`).sort();
    return {
      type,
      plain: `map[${texts(formatPlain).join(' ')}]`,
      sharp: `${type}{${texts(formatLiteral).join(', ')}}`,
    };
  }
  const type = runtimeTypeName(typeOfValue(value));
  return { type, plain: formatPlain(value), sharp: formatPlain(value) };
}

/** Go's `%q` of an integer is the character with that number. */
function keyText(key: Value): string {
  if (typeof key === 'boolean') return `%!q(types.Bool=${key}) is of type types.Bool`;
  const number = key instanceof CelUint ? key.value : (key as number | bigint);
  const text = number >= 0 && number <= 0x10ffff ? String.fromCodePoint(Number(number)) : '\ufffd';
  return `'${quote(text).slice(1, -1)}' is of type types.${key instanceof CelUint ? 'Uint' : 'Int'}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const SECOND = 1_000_000_000n;

/** Returns a time as Go's `%#v` prints it. */
function goDate(nanos: bigint): string {
  const seconds = floorDivide(nanos, SECOND);
  const date = new Date(Number(seconds) * 1000);
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), nanos - seconds * SECOND].join(', ');
  const month = `time.${MONTHS[date.getUTCMonth()]}`;
  return `time.Date(${date.getUTCFullYear()}, ${month}, ${date.getUTCDate()}, ${clock}, time.UTC)`;
}
