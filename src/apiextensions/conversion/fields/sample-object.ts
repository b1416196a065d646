/**
 * Sample values that have every field of a schema, to try conversions on. All scalars are strings that a caller makes:
 * moves do not look at types. Invariant: the same schema gives the same structure.
 */
import { type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';

/** Deeper fields are left out, because schemas can be nested without bound. */
const MAX_DEPTH = 20;

/** The key of the only entry of a map. */
export const SAMPLE_KEY = '<key>';
/** The name of the only field that the schema does not list, where such fields are preserved. */
export const UNLISTED = '<unlisted>';

/** Leaves out apiVersion, kind and metadata, which conversion cannot lose. */
export function sampleObject(schema: StructuralSchema, scalar: () => string): JsonObject {
  const object: JsonObject = {};
  for (const [name, property] of schema.properties) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    setField(object, name, sampleValue(property, scalar));
  }
  return object;
}

export function sampleValue(schema: StructuralSchema, scalar: () => string, depth = 1): JsonValue {
  if (depth === MAX_DEPTH) return scalar();
  if (schema.type === 'array')
    return schema.items === undefined ? [scalar()] : [sampleValue(schema.items, scalar, depth + 1)];
  if (schema.type !== 'object') return scalar();
  const object: JsonObject = {};
  const { additionalProperties: values } = schema;
  if (schema.preserveUnknownFields || values === true) object[UNLISTED] = scalar();
  if (typeof values === 'object') object[SAMPLE_KEY] = sampleValue(values, scalar, depth + 1);
  for (const [name, property] of schema.properties) setField(object, name, sampleValue(property, scalar, depth + 1));
  return object;
}
