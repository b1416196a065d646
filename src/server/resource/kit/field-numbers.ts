/** The check of declared protobuf numbers: a resource has a protobuf form only if every field has a number. */
import { ConfigError } from '../../../base/errors.ts';
import { isJsonObject, type JsonObject, setField } from '../../../base/json-value.ts';
import { FIELD_NUMBER } from '../../../schema/structural/schema-source.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';

/** The numbers that fields of the root have by convention. Metadata has 1. */
const ROOT_NUMBERS: Readonly<Record<string, number>> = { spec: 2, status: 3 };
const METADATA_NUMBER = 1;
const MAX_NUMBER = 536870911;

/** Gives `spec` and `status` of a whole schema their numbers, unless they have others. Returns a copy. */
export function withRootNumbers(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return schema;
  const numbered: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) {
    const number = ROOT_NUMBERS[name];
    const isOpen = number !== undefined && isJsonObject(property) && property[FIELD_NUMBER] === undefined;
    setField(numbered, name, isOpen ? { ...property, [FIELD_NUMBER]: number } : property);
  }
  return { ...schema, properties: numbered };
}

/** Throws ConfigError that lists the fields without a number of their own, and those that protobuf cannot express. */
export function checkFieldNumbers(kind: string, schema: StructuralSchema): void {
  const problems: string[] = [];
  checkStruct(schema, '', new Set([METADATA_NUMBER]), problems);
  if (problems.length > 0) throw new ConfigError(`${kind} cannot have protobuf: ${problems.join('; ')}`);
}

function checkStruct(schema: StructuralSchema, path: string, seen: Set<number>, problems: string[]): void {
  for (const [name, property] of schema.properties) {
    const at = path === '' ? name : `${path}.${name}`;
    if (path === '' && (name === 'apiVersion' || name === 'kind' || name === 'metadata')) continue;
    const number = property.source[FIELD_NUMBER];
    if (typeof number !== 'number') problems.push(`${at} has no fieldNumber()`);
    else if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER || (number >= 19000 && number <= 19999))
      problems.push(`${at} has the number ${number}, which protobuf does not allow`);
    else if (seen.has(number)) problems.push(`${at} has the number ${number} of another field`);
    else seen.add(number);
    checkValue(property, at, problems);
  }
}

function checkValue(schema: StructuralSchema, path: string, problems: string[]): void {
  const { items, additionalProperties: values, preserveUnknownFields, embeddedResource, type } = schema;
  if (preserveUnknownFields || embeddedResource || values === true)
    problems.push(`${path} accepts any value, which has no protobuf form`);
  else if (type === 'array' && items !== undefined) checkValue(items, `${path}[]`, problems);
  else if (typeof values === 'object') checkValue(values, `${path}[]`, problems);
  else checkStruct(schema, path, new Set(), problems);
}
