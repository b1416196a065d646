/**
 * The parser of structural schemas. It refuses JSONSchemaProps that a structural schema cannot express. A parsed schema
 * may still violate the rules for structural schemas, which `validateStructural` checks.
 */
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { namedSchema, namesOf, PRESERVE_UNKNOWN, type SchemaSource, schemaOf, schemasOf } from './schema-source.ts';
import type { StructuralSchema } from './structural.ts';
import { structuralOf } from './structural-node.ts';

export type ParsedStructural =
  | { readonly ok: true; readonly schema: StructuralSchema }
  /** `message` is kube-apiserver's text; `issue` is the same at the given path. */
  | { readonly ok: false; readonly message: string; readonly issue: FieldIssue };

/**
 * Parses JSONSchemaProps (v1). The schema keeps a reference to `json`, which must not be modified afterwards. Reports
 * the first problem only.
 */
export function parseStructural(json: Readonly<JsonObject>, path?: FieldPath): ParsedStructural {
  const message = isSupported(json) ? undefined : problemOf(json);
  if (message === undefined) return { ok: true, schema: structuralOf(json) };
  return { ok: false, message, issue: invalid(path, '', message) };
}

/** Keywords that contain schemas, and keywords that may be unsupported. */
const FIELDS: ReadonlyMap<string, 'schema' | 'schemas' | 'suspect'> = new Map<string, 'schema' | 'schemas' | 'suspect'>(
  [
    ['items', 'schema'],
    ['additionalProperties', 'schema'],
    ['not', 'schema'],
    ['properties', 'schemas'],
    ['allOf', 'schemas'],
    ['anyOf', 'schemas'],
    ['oneOf', 'schemas'],
    ['id', 'suspect'],
    ['$schema', 'suspect'],
    ['$ref', 'suspect'],
    ['patternProperties', 'suspect'],
    ['dependencies', 'suspect'],
    ['additionalItems', 'suspect'],
    ['definitions', 'suspect'],
  ],
);

/**
 * True if the schema certainly has no problem. A quick check in any order; `problemOf` finds the problem that is
 * reported.
 */
function isSupported(root: SchemaSource): boolean {
  const pending: SchemaSource[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of Object.keys(next)) {
      const field = FIELDS.get(name);
      const value = next[name] as JsonValue;
      if (field === 'suspect' || (field === 'schema' && Array.isArray(value))) return false;
      if (field === undefined && name === PRESERVE_UNKNOWN && value === false) return false;
      if (field === undefined) continue;
      if (typeof value !== 'object' || value === null) continue;
      if (field === 'schema') pending.push(value as JsonObject);
      else for (const part of Object.values(value)) if (isJsonObject(part)) pending.push(part);
    }
  }
  return true;
}

/**
 * The first problem in kube-apiserver's order: a node before its parts, logic operators before items and properties.
 */
function problemOf(root: SchemaSource): string | undefined {
  const pending: SchemaSource[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const problem = ownProblem(next);
    if (problem !== undefined) return problem;
    for (const part of partsOf(next).reverse()) pending.push(part);
  }
  return undefined;
}

function partsOf(source: SchemaSource): SchemaSource[] {
  const not = schemaOf(source, 'not');
  const parts = not === undefined ? [] : [not];
  for (const operator of ['allOf', 'anyOf', 'oneOf']) parts.push(...schemasOf(source, operator));
  const items = schemaOf(source, 'items');
  if (items !== undefined) parts.push(items);
  for (const name of namesOf(source, 'properties').sort(compareUtf8))
    parts.push(namedSchema(source, 'properties', name) ?? {});
  const additional = schemaOf(source, 'additionalProperties');
  if (additional !== undefined) parts.push(additional);
  return parts;
}

const TEXTS = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
] as const;

function ownProblem(source: SchemaSource): string | undefined {
  for (const [name, shown] of TEXTS) {
    const value = source[name];
    if (typeof value === 'string' && value !== '') return unsupported(shown);
  }
  for (const name of ['patternProperties', 'dependencies'])
    if (namesOf(source, name).length > 0) return unsupported(name);
  if ((source['additionalItems'] ?? null) !== null) return unsupported('additionalItems');
  if (namesOf(source, 'definitions').length > 0) return unsupported('definitions');
  if (source[PRESERVE_UNKNOWN] === false) return `internal error: '${PRESERVE_UNKNOWN}' must be true or undefined`;
  const items = source['items'];
  if (Array.isArray(items) && items.some(isJsonObject))
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return undefined;
}

function unsupported(name: string): string {
  return `OpenAPIV3Schema '${name}' is not supported`;
}
