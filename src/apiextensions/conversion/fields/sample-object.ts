/**
 * An object that has every field of a schema, each with a value of its own, to try conversions on. Invariant: the same
 * schema gives the same object.
 */
import { type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';

/** Deeper fields are left out, because schemas can be nested without bound. */
const MAX_DEPTH = 20;

/** Leaves out apiVersion, kind and metadata, which conversion cannot lose. */
export function sampleObject(schema: StructuralSchema): JsonObject {
  const counter = { next: 1 };
  const object: JsonObject = {};
  for (const [name, property] of schema.properties) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    setField(object, name, sample(property, counter, 1));
  }
  return object;
}

function sample(schema: StructuralSchema, counter: { next: number }, depth: number): JsonValue {
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum.at(-1) as JsonValue;
  if (schema.intOrString) return counter.next++;
  switch (schema.type) {
    case 'object':
      return sampleOfObject(schema, counter, depth);
    case 'array':
      return schema.items === undefined || depth === MAX_DEPTH ? [] : [sample(schema.items, counter, depth + 1)];
    case 'boolean':
      return true;
    case 'integer':
      return Number(schema.minimum ?? 0) + counter.next++;
    case 'number':
      return Number(schema.minimum ?? 0) + counter.next++ + 0.5;
    case 'string':
      return TEXTS[schema.format] ?? `text${counter.next++}`;
    default:
      return { kept: counter.next++ };
  }
}

function sampleOfObject(schema: StructuralSchema, counter: { next: number }, depth: number): JsonObject {
  const object: JsonObject = {};
  if (depth === MAX_DEPTH) return object;
  const { additionalProperties: values } = schema;
  if (schema.preserveUnknownFields) object['kept'] = counter.next++;
  if (typeof values === 'object') object['key'] = sample(values, counter, depth + 1);
  for (const [name, property] of schema.properties) setField(object, name, sample(property, counter, depth + 1));
  return object;
}

const TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2020-01-02T03:04:05Z',
  date: '2020-01-02',
  duration: '1h0m0s',
  byte: 'AAEC',
  uuid: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  uri: 'https://example.com/',
  email: 'a@example.com',
};
