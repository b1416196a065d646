/**
 * The conversion of JSON values to CEL values by their schema. Items and fields are converted when a rule reads them. A
 * value that does not fit its schema throws a CelError when it is read; validation has reported it before.
 *
 * Invariant: JSON is not copied.
 */
import { decodedType } from '../../apimachinery/go-decoded.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { BugError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { CelDouble, CelDuration, CelError, CelTimestamp, type Value } from '../../cel/values.ts';
import { parseDate, parseDateTime, parseFormatDuration } from '../formats/times.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { deriveSchema } from '../structural/structural-node.ts';
import type { Adapter } from './adapter.ts';
import { declaredType } from './declared-type.ts';
import { escapeName } from './escape-name.ts';
import { JsonList, KeyedList, SetList } from './list-values.ts';
import { type Field, JsonMap, JsonStruct, Preserved, type Shape } from './object-values.ts';
import { withObjectMeta } from './with-object-meta.ts';

const adapters = new WeakMap<StructuralSchema, Adapter>();

/** The adapter of a schema, created once per schema. */
export function adapterOf(schema: StructuralSchema): Adapter {
  let adapter = adapters.get(schema);
  if (adapter === undefined) {
    adapter = makeAdapter(schema);
    adapters.set(schema, adapter);
  }
  return adapter;
}

function makeAdapter(schema: StructuralSchema): Adapter {
  const adapt = adapterOfType(schema);
  const { nullable } = schema;
  return (value) => {
    if (value !== null) return adapt(value);
    if (nullable) return null;
    throw new CelError('invalid data, got null for schema with nullable=false');
  };
}

function adapterOfType(schema: StructuralSchema): Adapter {
  if (schema.intOrString) return adaptIntOrString;
  switch (schema.type) {
    case 'object':
      return objectAdapter(schema);
    case 'array':
      return listAdapter(schema);
    case 'string':
      return STRING_ADAPTERS[schema.format] ?? adaptString;
    case 'number':
      return adaptNumber;
    case 'integer':
      return adaptInteger;
    case 'boolean':
      return adaptBoolean;
    default:
      return (value) => new Preserved(value);
  }
}

function objectAdapter(schema: StructuralSchema): Adapter {
  const { additionalProperties: values, embeddedResource } = schema;
  if (!embeddedResource && schema.properties.size === 0 && typeof values === 'object') {
    const adapt = adapterOf(values);
    return (value) => new JsonMap(objectOf(value), adapt);
  }
  let shape: Shape | undefined;
  return (value) => {
    shape ??= makeShape(embeddedResource ? withObjectMeta(schema) : schema);
    return new JsonStruct(objectOf(value), shape);
  };
}

function makeShape(schema: StructuralSchema): Shape {
  const byName = new Map<string, Field>();
  const byIdentifier = new Map<string, Field>();
  for (const [name, property] of schema.properties) {
    const field: Field = { name, adapt: adapterOf(property) };
    byName.set(name, field);
    const identifier = escapeName(name);
    if (identifier !== undefined) byIdentifier.set(identifier, field);
  }
  const declared = declaredType(deriveSchema(schema, { additionalProperties: undefined }), false)?.type;
  if (declared?.kind !== 'object') throw new BugError('the declared type of an object schema is not an object');
  return { type: declared, byName, byIdentifier };
}

function objectOf(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new CelError('invalid data, expected a map for the provided schema with type=object');
}

function listAdapter(schema: StructuralSchema): Adapter {
  const { items, listType, listMapKeys } = schema;
  if (items === undefined)
    return () => {
      throw new CelError('invalid array type, expected Items with a non-empty Schema');
    };
  const adapt = adapterOf(items);
  return (value) => {
    if (!Array.isArray(value))
      throw new CelError('invalid data, expected an array for the provided schema with type=array');
    if (listType === 'set') return new SetList(value, adapt);
    return listType === 'map' ? new KeyedList(value, adapt, listMapKeys) : new JsonList(value, adapt);
  };
}

function adaptIntOrString(value: JsonValue): Value {
  if (typeof value === 'string' || isInteger(value)) return value;
  throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
}

function adaptString(value: JsonValue): Value {
  return textOf(value);
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  throw new CelError(`invalid data, expected string, got ${decodedType(value)}`);
}

/** The string formats that rules see as another type. */
const STRING_ADAPTERS: Readonly<Record<string, Adapter>> = {
  duration: (value) => {
    const text = textOf(value);
    const nanos = parseFormatDuration(text);
    if (nanos === undefined) throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
    return new CelDuration(nanos);
  },
  date: (value) => {
    const text = textOf(value);
    const nanos = parseDate(text);
    if (nanos === undefined) throw new CelError(`Invalid date formatted string ${text}`);
    return new CelTimestamp(nanos);
  },
  'date-time': (value) => {
    const text = textOf(value);
    const nanos = parseDateTime(text);
    if (nanos === undefined) throw new CelError(`Invalid date-time formatted string ${text}`);
    return new CelTimestamp(nanos);
  },
  byte: (value) => {
    const text = textOf(value);
    const bytes = decodeBase64(text);
    if (bytes === undefined) throw new CelError(`Invalid byte formatted string ${text}: illegal base64 data`);
    return bytes;
  },
};

function adaptNumber(value: JsonValue): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return new CelDouble(Number(value));
  throw new CelError(`invalid data, expected float, got ${decodedType(value)}`);
}

function adaptInteger(value: JsonValue): Value {
  if (isInteger(value)) return value;
  throw new CelError(`invalid data, expected int, got ${decodedType(value)}`);
}

function adaptBoolean(value: JsonValue): Value {
  if (typeof value === 'boolean') return value;
  throw new CelError(`invalid data, expected bool, got ${decodedType(value)}`);
}

function isInteger(value: JsonValue): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}
