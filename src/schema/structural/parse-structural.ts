/**
 * Schemas as written, refused where a structural schema cannot say the same. Invariant: what is accepted here may still not be structural (`validateStructural`
 * tells), but nothing of it is lost.
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
  /** `message` is the reference's sentence; `issue` the same at the path given. */
  | { readonly ok: false; readonly message: string; readonly issue: FieldIssue };

/** The schema of JSONSchemaProps (v1, plain JSON), which is shared and must not be changed afterwards. Of several problems the first is told. */
export function parseStructural(json: Readonly<JsonObject>, path?: FieldPath): ParsedStructural {
  const message = isFree(json) ? undefined : problemOf(json);
  if (message === undefined) return { ok: true, schema: structuralOf(json) };
  return { ok: false, message, issue: invalid(path, '', message) };
}

/** What a field may have to do with problems: it holds schemas, or may be one itself. */
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

/** True if there is no problem for sure: nothing is asked about the order in which they would be told. */
function isFree(root: SchemaSource): boolean {
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

/** Logic operators first, then what is inside, each node before its parts. */
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
