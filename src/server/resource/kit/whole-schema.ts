/** The whole structural schema of a version, made from the schemas of its parts. */
import { ConfigError } from '../../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import { libraryJsonSchema } from './library-json-schema.ts';
import { isLibrarySchema, type SchemaSource } from './schema-source.ts';

export interface SchemaParts {
  readonly schema?: JsonObject | undefined;
  readonly spec?: SchemaSource | undefined;
  readonly status?: SchemaSource | undefined;
  readonly description?: string | undefined;
}

/** Returns the schema of the object. `name` is that of the kind, for messages. Throws ConfigError. */
export function wholeSchema(name: string, { schema, spec, status, description }: SchemaParts): JsonObject {
  if (schema !== undefined) {
    if (spec !== undefined || status !== undefined)
      throw new ConfigError(`${name} has a schema for the whole object, so spec and status must not be given`);
    return resolveAtomic(description === undefined ? schema : { ...schema, description });
  }
  if (spec === undefined && status === undefined) throw new ConfigError(`${name} needs a schema, or a spec`);
  const properties: JsonObject = {};
  const required: string[] = [];
  if (spec !== undefined) {
    const made = partSchema(spec, 'spec', name);
    if (isOptional(made)) properties['spec'] = { ...made, default: made['default'] ?? {} };
    else {
      properties['spec'] = made;
      required.push('spec');
    }
  }
  if (status !== undefined) properties['status'] = partSchema(status, 'status', name);
  return {
    type: 'object',
    ...(description === undefined ? undefined : { description }),
    properties,
    ...(required.length === 0 ? undefined : { required }),
  };
}

/** Returns the structural schema of one field. Throws ConfigError. */
export function partSchema(source: SchemaSource, path: string, kind: string): JsonObject {
  return resolveAtomic(isLibrarySchema(source) ? libraryJsonSchema(source, path, kind) : source);
}

/** Reports whether objects may leave out the part: its schema has a default, or its keywords allow `{}`. */
function isOptional({ type, required, minProperties, default: given, ...rest }: JsonObject): boolean {
  if (given !== undefined) return true;
  const needsFields = (Array.isArray(required) && required.length > 0) || minProperties !== undefined;
  const hasConditions = ['x-kubernetes-validations', 'anyOf', 'oneOf', 'allOf', 'not'].some((k) => k in rest);
  return type === 'object' && !needsFields && !hasConditions;
}

const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);

/**
 * `atomic()` has the extensions of both lists and objects. Returns a copy of the schema with the one that fits its
 * type.
 */
function resolveAtomic(schema: JsonObject): JsonObject {
  const copy: JsonObject = {};
  const isAtomic = schema['x-kubernetes-list-type'] === 'atomic' && schema['x-kubernetes-map-type'] === 'atomic';
  for (const name of Object.keys(schema)) {
    if (isAtomic && name === (schema['type'] === 'array' ? 'x-kubernetes-map-type' : 'x-kubernetes-list-type'))
      continue;
    setField(copy, name, resolveKeyword(name, schema[name] as JsonValue));
  }
  return copy;
}

function resolveKeyword(name: string, value: JsonValue): JsonValue {
  if (SCHEMAS.has(name)) return isJsonObject(value) ? resolveAtomic(value) : value;
  if (name !== 'properties' || !isJsonObject(value)) return value;
  const properties: JsonObject = {};
  for (const key of Object.keys(value)) {
    const property = value[key] as JsonValue;
    setField(properties, key, isJsonObject(property) ? resolveAtomic(property) : property);
  }
  return properties;
}
