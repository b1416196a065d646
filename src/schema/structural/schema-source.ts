/** Typed access to the JSON of JSONSchemaProps. A keyword that is null or of the wrong type counts as absent. */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

/** The JSON of a schema. It must not be modified. */
export type SchemaSource = Readonly<JsonObject>;

/** The protobuf number of a field, in schemas of programs. CustomResourceDefinitions have no such keyword. */
export const FIELD_NUMBER = 'x-keelson-field-number';
export const PRESERVE_UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
export const EMBEDDED_RESOURCE = 'x-kubernetes-embedded-resource';
export const INT_OR_STRING = 'x-kubernetes-int-or-string';
export const LIST_TYPE = 'x-kubernetes-list-type';
export const LIST_MAP_KEYS = 'x-kubernetes-list-map-keys';
export const MAP_TYPE = 'x-kubernetes-map-type';
export const VALIDATIONS = 'x-kubernetes-validations';

export function textOf(source: SchemaSource, name: string): string {
  const value = source[name];
  return typeof value === 'string' ? value : '';
}

export function flagOf(source: SchemaSource, name: string): boolean {
  return source[name] === true;
}

export function numberOf(source: SchemaSource, name: string): number | bigint | undefined {
  const value = source[name];
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** A count. kube-apiserver holds counts in an int64; values above 2^53 are rounded here. */
export function countOf(source: SchemaSource, name: string): number | undefined {
  const value = numberOf(source, name);
  return typeof value === 'bigint' ? Number(value) : value;
}

export function listOf(source: SchemaSource, name: string): readonly JsonValue[] {
  const value = source[name];
  return Array.isArray(value) ? value : [];
}

export function textsOf(source: SchemaSource, name: string): readonly string[] {
  return listOf(source, name).filter((item) => typeof item === 'string');
}

/** A nested schema; undefined if there is none or if it is a list of schemas (`items`). */
export function schemaOf(source: SchemaSource, name: string): SchemaSource | undefined {
  const value = source[name];
  return isJsonObject(value) ? value : undefined;
}

/** The schemas of a list. An item that is not an object becomes an empty schema. */
export function schemasOf(source: SchemaSource, name: string): readonly SchemaSource[] {
  return listOf(source, name).map((item) => (isJsonObject(item) ? item : {}));
}

/** The keys of a map of schemas. */
export function namesOf(source: SchemaSource, name: string): string[] {
  const value = source[name];
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** One schema of a map of schemas; undefined if the map has no such key. */
export function namedSchema(source: SchemaSource, map: string, name: string): SchemaSource | undefined {
  const schemas = source[map];
  if (!isJsonObject(schemas)) return undefined;
  const value = getField(schemas, name);
  if (value === undefined) return undefined;
  return isJsonObject(value) ? value : {};
}

/** True if `test` holds for the schema or a schema below it. Schemas under logic operators are not visited. */
export function someNode(source: SchemaSource, test: (source: SchemaSource) => boolean): boolean {
  const pending: SchemaSource[] = [source];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (test(next)) return true;
    const items = schemaOf(next, 'items');
    if (items !== undefined) pending.push(items);
    const additional = schemaOf(next, 'additionalProperties');
    if (additional !== undefined) pending.push(additional);
    const properties = next['properties'];
    if (!isJsonObject(properties)) continue;
    for (const name of Object.keys(properties)) {
      const property = properties[name];
      if (isJsonObject(property)) pending.push(property);
    }
  }
  return false;
}
