/**
 * The conversion of schemas from OpenAPI v3 to v2. Keywords that v2 does not have (defaults beside references,
 * alternatives, nullable) are dropped. Clients of v2 then check less, but never refuse what the server accepts.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

const LEFT_OUT = new Set(['default', 'nullable', 'oneOf', 'anyOf', 'not', 'deprecated', 'writeOnly', 'example']);
/** Keywords that mean nothing without a type. */
const WITH_TYPE = new Set(['type', 'items', 'properties', 'additionalProperties', 'required']);

export function schemaV2(schema: JsonObject): JsonObject {
  const [only] = Array.isArray(schema.allOf) ? schema.allOf : [];
  const ref = isJsonObject(only) ? only.$ref : schema.$ref;
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || LEFT_OUT.has(key) || (key === 'allOf' && ref !== undefined)) continue;
    if (schema.nullable === true && WITH_TYPE.has(key)) continue;
    result[key] = convertKey(key, value);
  }
  if (typeof ref === 'string') result.$ref = ref.replace('#/components/schemas/', '#/definitions/');
  // A union of scalars, such as a quantity or an IntOrString, is a string in v2.
  if (schema.oneOf !== undefined && schema.type === undefined && schema.properties === undefined)
    result.type = 'string';
  return result;
}

function convertKey(key: string, value: JsonValue): JsonValue {
  if (key === 'properties' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, subschema(schema)]));
  if (key === 'items' || key === 'additionalProperties') return subschema(value);
  if (key === 'allOf' && Array.isArray(value)) return value.map(subschema);
  return value;
}

function subschema(schema: JsonValue | undefined): JsonValue {
  return isJsonObject(schema) ? schemaV2(schema) : (schema ?? {});
}
