/** The operations of a JSON patch that an expression returned, and the type names of its objects. */
import { quote } from '../../apimachinery/go-format.ts';
import { encodeBase64 } from '../../base/base64.ts';
import { type JsonArray, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { LiteralObject } from '../../cel/runtime/constructors.ts';
import { entriesOf, itemsOf, JoinedList } from '../../cel/runtime/native-values.ts';
import { formatDurationSeconds, formatTimestamp } from '../../cel/runtime/timestamps.ts';
import { runtimeTypeName, typeOfValue } from '../../cel/runtime/type-of-value.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  type CelObject,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../../cel/values.ts';
import { nativeValue } from './native-value.ts';

export type ConvertedValue = { readonly json: JsonValue } | { readonly error: string };

/** Returns the patch of an expression whose type is a list of JSONPatch. */
export function patchOfValue(value: Value): ConvertedValue {
  const operations: JsonArray = [];
  for (const item of itemsOf(value as CelList)) {
    const operation = item as CelObject;
    const written: JsonObject = {
      op: (operation.get('op') as string) ?? '',
      path: (operation.get('path') as string) ?? '',
    };
    const from = operation.get('from');
    if (from !== undefined && from !== '') written['from'] = from as string;
    const given = operation.get('value');
    if (given !== undefined) {
      const mismatch = given instanceof LiteralObject ? typeMismatch(given) : undefined;
      if (mismatch !== undefined) return { error: mismatch };
      const converted = jsonOfValue(given);
      if ('error' in converted)
        return {
          error: `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${converted.error}`,
        };
      written['value'] = converted.json;
    }
    operations.push(written);
  }
  return { json: operations };
}

/**
 * Returns the text about wrong type names: an object under the field `f` of an `Object.x` must be an `Object.x.f`.
 * Undefined if there are none.
 */
export function typeMismatch(object: LiteralObject): string | undefined {
  const problems = typeNameProblems(object, object.type.name);
  return problems.length === 0 ? undefined : `type mismatch: ${problems.join('\n')}`;
}

function typeNameProblems(value: Value, path: string): readonly string[] {
  if (value instanceof LiteralObject) {
    const { name } = value.type;
    const below = Array.from(value.entries(), ([field, one]) => typeNameProblems(one, `${path}.${field}`)).flat();
    if (name === path) return below;
    const expected = `expected ${quote(path)}, which matches field name path from root Object type`;
    return [`unexpected type name ${quote(name)}, ${expected}`, ...below];
  }
  // Lists and maps have no name of their own. Items of a concatenation are not checked.
  if (value instanceof CelList && !(value instanceof JoinedList))
    return Array.from(itemsOf(value), (item) => typeNameProblems(item, path)).flat();
  if (value instanceof CelMap) return Array.from(entriesOf(value), ([, below]) => typeNameProblems(below, path)).flat();
  return [];
}

/** Converts a value as cel-go converts it to JSON. Integers that a double cannot hold become strings. */
function jsonOfValue(value: Value): ConvertedValue {
  if (value instanceof LiteralObject) return structOf(value);
  const conversion = new Conversion();
  const json = conversion.convert(value);
  return conversion.error === undefined ? { json } : { error: conversion.error };
}

/** An object is converted to Go first, so that it has fewer types. */
function structOf(object: LiteralObject): ConvertedValue {
  const { json, foreign } = nativeValue(object);
  const [first] = foreign;
  return first === undefined ? { json } : { error: `proto: invalid type: ${first.type}` };
}

class Conversion {
  /** The first problem. */
  error: string | undefined;

  convert(value: Value): JsonValue {
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'number':
        return value;
      case 'bigint':
        return String(value);
    }
    if (value === null) return null;
    if (value instanceof CelDouble) return value.value;
    if (value instanceof CelUint)
      return value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : String(value.value);
    if (value instanceof CelList) return Array.from(itemsOf(value), (item) => this.convert(item));
    if (value instanceof CelMap) return this.#map(value);
    if (value instanceof LiteralObject) return this.#take(structOf(value));
    if (value instanceof Uint8Array) return encodeBase64(value);
    if (value instanceof CelTimestamp) return formatTimestamp(value);
    if (value instanceof CelDuration) return formatDurationSeconds(value);
    if (value instanceof CelTypeValue) return this.#take({ error: "type conversion not supported for 'type'" });
    const name = typeName(value);
    const shown = name.slice(name.lastIndexOf('.') + 1);
    return this.#take({ error: `type conversion error from '${shown}' to '*structpb.Value'` });
  }

  #map(map: CelMap): JsonObject {
    const object: JsonObject = {};
    for (const [key, value] of entriesOf(map)) {
      const json = this.convert(value);
      if (typeof key === 'string') setField(object, key, json);
      else this.#take({ error: `unsupported type conversion from '${typeName(key)}' to string` });
    }
    return object;
  }

  #take(converted: ConvertedValue): JsonValue {
    if ('json' in converted) return converted.json;
    this.error ??= converted.error;
    return null;
  }
}

function typeName(value: Value): string {
  return runtimeTypeName(typeOfValue(value));
}
