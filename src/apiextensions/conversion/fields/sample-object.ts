/**
 * Sample values that have every field of a schema, to try conversions on. All scalars are strings that the caller
 * makes: moves do not look at types. Invariant: the same schema gives the same structure.
 */
import { type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { EVERY, type RulePath } from './rule-path.ts';

/** Deeper fields are left out, because schemas can be nested without bound. */
const MAX_DEPTH = 20;

/** The key of the only entry of a map. */
export const SAMPLE_KEY = '<key>';
/** The name of the only field that the schema does not list, where such fields are preserved. */
export const UNLISTED = '<unlisted>';

export interface SampleOptions {
  /** Makes a scalar. */
  scalar(): string;
  /** Reports whether a value is a scalar in the sample, whatever its schema says. Default: it is not. */
  isScalar?(schema: StructuralSchema, path: RulePath): boolean;
}

/** Leaves out apiVersion, kind and metadata, which conversion cannot lose. */
export function sampleObject(schema: StructuralSchema, options: SampleOptions): JsonObject {
  const object: JsonObject = {};
  for (const [name, property] of schema.properties) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    setField(object, name, sampleValue(property, options, [name]));
  }
  return object;
}

/** `path` is that of the value. */
export function sampleValue(schema: StructuralSchema, options: SampleOptions, path: RulePath): JsonValue {
  const { type, items, additionalProperties: values } = schema;
  const isComposite = type === 'object' || type === 'array';
  if (!isComposite || path.length >= MAX_DEPTH || options.isScalar?.(schema, path) === true) return options.scalar();
  if (type === 'array') return [items === undefined ? options.scalar() : sampleValue(items, options, [...path, EVERY])];
  const object: JsonObject = {};
  if (schema.preserveUnknownFields || values === true) object[UNLISTED] = options.scalar();
  if (typeof values === 'object') object[SAMPLE_KEY] = sampleValue(values, options, [...path, SAMPLE_KEY]);
  for (const [name, property] of schema.properties)
    setField(object, name, sampleValue(property, options, [...path, name]));
  return object;
}
