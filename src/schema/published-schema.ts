/**
 * The schemas of custom resources in OpenAPI documents. v3 publishes everything; v2 leaves out keywords that its
 * clients do not understand. The caller adds `x-kubernetes-group-version-kind`.
 *
 * Invariant: the source is not modified. Parts that are published unchanged are shared with it.
 */
import { describeKindField } from '../apimachinery/facts/meta-descriptions.ts';
import { isJsonObject, type JsonObject, type JsonValue, setField } from '../base/json-value.ts';
import { sortByName } from '../base/utf8.ts';
import { hasIntOrStringAllOf, hasIntOrStringAnyOf, INT_OR_STRING_ANY_OF } from './structural/int-or-string-schema.ts';
import {
  EMBEDDED_RESOURCE,
  flagOf,
  INT_OR_STRING,
  listOf,
  PRESERVE_UNKNOWN,
  type SchemaSource,
  schemaOf,
  textsOf,
} from './structural/schema-source.ts';
import type { StructuralSchema } from './structural/structural.ts';

/** The schema of a resource in OpenAPI v3. `schema` is undefined for a version without a structural schema. */
export function openapiV3(schema: StructuralSchema | undefined): JsonObject {
  return schema === undefined ? { type: 'object' } : withMeta(publish(schema.source, V3), V3);
}

/**
 * The schema of a resource in OpenAPI v2. If the definition (`preserveUnknownFields`) or the root of the schema
 * preserves unknown fields, it is only `type: object`.
 */
export function openapiV2(schema: StructuralSchema | undefined, preserveUnknownFields: boolean): JsonObject {
  if (schema === undefined || preserveUnknownFields || schema.preserveUnknownFields) return { type: 'object' };
  return withMeta(publish(schema.source, V2), V2);
}

interface Dialect {
  readonly isV2: boolean;
  /** The property `metadata`, a reference to ObjectMeta. */
  metadata(): JsonObject;
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
/** The description of a field that every kind has. */
const described = (field: string): JsonObject => ({ description: describeKindField('', field) ?? '' });

const V3: Dialect = {
  isV2: false,
  metadata: () => ({ ...described('metadata'), allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }] }),
};
const V2: Dialect = {
  isV2: true,
  metadata: () => ({ ...described('metadata'), $ref: `#/definitions/${OBJECT_META}` }),
};

/** Adds the fields that every resource has. They replace the schema's own descriptions of these fields. */
function withMeta(schema: JsonObject, dialect: Dialect): JsonObject {
  const given = schema['properties'];
  const properties: JsonObject = {
    ...(isJsonObject(given) ? given : {}),
    apiVersion: { ...described('apiVersion'), type: 'string' },
    kind: { ...described('kind'), type: 'string' },
    metadata: dialect.metadata(),
  };
  return { ...schema, properties: sorted(properties) };
}

function sorted(properties: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const name of sortByName(Object.keys(properties), (key) => key))
    setField(out, name, properties[name] as JsonValue);
  return out;
}

function publish(source: SchemaSource, dialect: Dialect): JsonObject {
  let out = withParts(source, dialect);
  if (flagOf(source, INT_OR_STRING) && !dialect.isV2) out = spelledOut(out, source);
  if (dialect.isV2) out = simplified(out, source);
  const isOpen = dialect.isV2 && flagOf(source, PRESERVE_UNKNOWN);
  if (!flagOf(source, EMBEDDED_RESOURCE) || isOpen) return out;
  const required = textsOf(out, 'required');
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name));
  return withMeta({ ...out, required: [...required, ...missing] }, dialect);
}

const PARTS = ['items', 'additionalProperties'] as const;

/** The node with its parts published; the source itself if no part changes. */
function withParts(source: SchemaSource, dialect: Dialect): JsonObject {
  let changes: JsonObject | undefined;
  for (const name of PARTS) {
    const part = schemaOf(source, name);
    if (part === undefined) continue;
    const published = publish(part, dialect);
    if (published !== part) changes = { ...changes, [name]: published };
  }
  const properties = source['properties'];
  if (isJsonObject(properties)) {
    const published = publishedProperties(properties, dialect);
    if (published !== properties) changes = { ...changes, properties: published };
  }
  return changes === undefined ? (source as JsonObject) : { ...source, ...changes };
}

/** The published properties; `properties` itself if none of them changes. */
function publishedProperties(properties: JsonObject, dialect: Dialect): JsonObject {
  const names = Object.keys(properties);
  let published: JsonObject | undefined;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const property = properties[name] as JsonValue;
    const part = isJsonObject(property) ? publish(property, dialect) : {};
    if (published === undefined && part !== property) {
      published = {};
      for (const before of names.slice(0, i)) setField(published, before, properties[before] as JsonValue);
    }
    if (published !== undefined) setField(published, name, part);
  }
  return published ?? properties;
}

/** Expresses int-or-string in plain OpenAPI too. */
function spelledOut(schema: JsonObject, source: SchemaSource): JsonObject {
  if (hasIntOrStringAnyOf(source) || hasIntOrStringAllOf(source)) return schema;
  const either = [...INT_OR_STRING_ANY_OF] as JsonValue[];
  if (listOf(source, 'anyOf').length === 0) return { ...schema, anyOf: either };
  return { ...schema, allOf: [{ anyOf: either }, ...listOf(source, 'allOf')] };
}

const NOT_IN_V2: ReadonlySet<string> = new Set(['allOf', 'oneOf', 'anyOf', 'not', 'nullable', 'default']);

/**
 * Removes what v2 clients do not understand: logic operators, defaults, and the types of nodes that are nullable or
 * preserve unknown fields.
 */
function simplified(schema: JsonObject, source: SchemaSource): JsonObject {
  if (isSimple(source)) return schema;
  const nullable = flagOf(source, 'nullable');
  const isOpen = nullable || flagOf(source, PRESERVE_UNKNOWN);
  const isUntyped =
    nullable ||
    (source['type'] === 'array' && (isOpen || schemaOf(source, 'items') === undefined)) ||
    (source['type'] === 'object' && flagOf(source, PRESERVE_UNKNOWN));
  const kept = Object.entries(schema).filter(([name]) => {
    if (name === 'items' || name === 'properties') return !isOpen;
    return name === 'type' ? !isUntyped : !NOT_IN_V2.has(name);
  });
  const required = requiredInV2(source, isOpen);
  const changed = kept.length !== Object.keys(schema).length || required !== source['required'];
  if (!changed) return schema;
  const { required: _, ...rest } = Object.fromEntries(kept);
  return required === undefined || required.length === 0 ? rest : { ...rest, required };
}

/** True for nodes that have none of these keywords, which are most nodes. */
function isSimple(source: SchemaSource): boolean {
  for (const name of Object.keys(source))
    if (NOT_IN_V2.has(name) || name === PRESERVE_UNKNOWN || name === 'required') return false;
  return source['type'] !== 'array' || schemaOf(source, 'items') !== undefined;
}

/** `required` without nullable fields. */
function requiredInV2(source: SchemaSource, isOpen: boolean): JsonValue[] | undefined {
  const required = source['required'];
  if (!Array.isArray(required)) return undefined;
  const values = schemaOf(source, 'additionalProperties');
  if (values !== undefined && flagOf(values, 'nullable')) return undefined;
  const properties = schemaOf(source, 'properties');
  if (properties === undefined || isOpen) return required;
  const isNullable = (name: JsonValue): boolean => {
    const property = typeof name === 'string' ? properties[name] : undefined;
    return isJsonObject(property) && property['nullable'] === true;
  };
  return required.some(isNullable) ? required.filter((name) => !isNullable(name)) : required;
}
