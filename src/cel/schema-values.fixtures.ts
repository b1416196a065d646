/** CEL types and values of a small subset of OpenAPI schemas. The tests of this layer cannot import `schema`. */
import { parseDuration } from '../apimachinery/scalars/duration.ts';
import { decodeBase64 } from '../base/base64.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { LiteralObject } from './runtime/constructors.ts';
import { NativeList, NativeMap } from './runtime/native-values.ts';
import { parseTimestamp } from './runtime/timestamps.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  type ObjectType,
  STRING,
  TIMESTAMP,
} from './types.ts';
import { CelDouble, CelDuration, type Value } from './values.ts';

const FORMATS: ReadonlyMap<JsonValue | undefined, CelType> = new Map<JsonValue | undefined, CelType>([
  ['date-time', TIMESTAMP],
  ['duration', DURATION],
  ['byte', BYTES],
]);

function part(schema: JsonObject, name: string): JsonObject {
  const value = schema[name];
  if (!isJsonObject(value)) throw new Error(`a schema without ${name}`);
  return value;
}

/** Object types are named after their path. */
export function typeOfSchema(schema: JsonObject, name: string = 'self'): CelType {
  if (schema['x-kubernetes-int-or-string'] === true) return DYN;
  switch (schema['type']) {
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    case 'string':
      return FORMATS.get(schema['format']) ?? STRING;
    case 'array':
      return listOf(typeOfSchema(part(schema, 'items'), `${name}.@idx`));
  }
  if (schema['additionalProperties'] !== undefined)
    return mapOf(STRING, typeOfSchema(part(schema, 'additionalProperties'), `${name}.@elem`));
  return objectType(part(schema, 'properties'), name);
}

function objectType(properties: JsonObject, name: string): ObjectType {
  const fields = new Map<string, CelType>();
  for (const field of Object.keys(properties))
    fields.set(field, typeOfSchema(part(properties, field), `${name}.${field}`));
  return { kind: 'object', name, field: (field) => fields.get(field), fieldNames: () => fields.keys() };
}

export function valueOfType(json: JsonValue, type: CelType): Value {
  if (type === DOUBLE) return new CelDouble(Number(json));
  if (typeof json === 'string') return textOfType(json, type);
  if (Array.isArray(json)) {
    if (type.kind !== 'list') throw new Error('an array that is not a list');
    return new NativeList(json.map((item) => valueOfType(item, type.element)));
  }
  if (!isJsonObject(json)) return json as Value;
  if (type.kind === 'map')
    return new NativeMap(Object.entries(json).map(([key, value]) => [key, valueOfType(value, type.value)]));
  if (type.kind !== 'object') throw new Error('an object that is none');
  const values = Object.entries(json).map(
    ([field, value]) => [field, valueOfType(value, type.field(field) ?? DYN)] as const,
  );
  return new LiteralObject(type, new Map(values));
}

function textOfType(text: string, type: CelType): Value {
  if (type === TIMESTAMP) return parseTimestamp(text) ?? text;
  if (type === BYTES) return decodeBase64(text) ?? text;
  if (type !== DURATION) return text;
  const parsed = parseDuration(text);
  return parsed.ok ? new CelDuration(parsed.value) : text;
}
