/**
 * The coercion and validation of embedded resources (`x-kubernetes-embedded-resource`): their type fields and metadata.
 * The root of an object is not checked here: the endpoint does that.
 */
import { parseGroupVersion } from '../apimachinery/meta/gvk.ts';
import type { TypeView } from '../apimachinery/type-view.ts';
import { type FieldIssue, formatIssue, invalid, required } from '../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, formatPath, indexPath, keyPath } from '../apimachinery/validation/field-path.ts';
import { nameIsPathSegment } from '../apimachinery/validation/name-rules.ts';
import { checkDns1035Label } from '../apimachinery/validation/name-syntax.ts';
import { type ObjectMetaFacts, validateObjectMeta } from '../apimachinery/validation/validate-object-meta.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { type MetaOptions, metaForm } from './object-meta-form.ts';
import { EMBEDDED_RESOURCE, type SchemaSource, someNode } from './structural/schema-source.ts';
import type { StructuralSchema } from './structural/structural.ts';
import { MAX_FINDINGS } from './validation/validation-result.ts';

/** True if the schema contains an embedded resource. */
export function hasEmbedded(source: SchemaSource): boolean {
  return someNode(source, (node) => node[EMBEDDED_RESOURCE] === true);
}

type Path = FieldPath | undefined;

export type Coerced =
  /** `unknown` lists the paths of metadata fields that were removed, sorted. */
  | { readonly ok: true; readonly unknown: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly issue: FieldIssue };

export interface CoerceOptions extends MetaOptions {
  /** The path of the value. Default: the value is the whole object. */
  readonly path?: FieldPath | undefined;
  /** True if the value is a resource even if its schema does not say so. Default false. */
  readonly isResource?: boolean;
}

/**
 * Brings the metadata of embedded resources into the form of its type, in place. Fails if `apiVersion` or `kind` is not
 * a string, or if `metadata` is malformed, unless `dropMalformed` is set.
 */
export function coerceEmbedded(schema: StructuralSchema, value: JsonValue, options: CoerceOptions): Coerced {
  const unknown: string[] = [];
  const issue = coerce(schema, value, options.path, options.isResource === true, { ...options, unknown });
  return issue === undefined
    ? { ok: true, unknown: unknown.sort() }
    : { ok: false, message: formatIssue(issue), issue };
}

interface Coercion extends MetaOptions {
  readonly unknown: string[];
}

function coerce(
  schema: StructuralSchema | undefined,
  value: JsonValue,
  path: Path,
  isResource: boolean,
  coercion: Coercion,
): FieldIssue | undefined {
  if (schema === undefined || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const issue = coerce(schema.items, item, indexPath(path, i), false, coercion);
      if (issue !== undefined) return issue;
    }
    return undefined;
  }
  for (const name of Object.keys(value)) {
    const before = value[name] as JsonValue;
    if (isResource || schema.embeddedResource) {
      const issue = coerceMeta(value, name, path, coercion);
      if (issue !== undefined) return issue;
    }
    const [next, at] = fieldOf(schema, name, path);
    const issue = coerce(next, before, at, false, coercion);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function fieldOf(schema: StructuralSchema, name: string, path: Path): [StructuralSchema | undefined, Path] {
  const property = schema.properties.get(name);
  if (property !== undefined) return [property, childPath(path, name)];
  const { additionalProperties } = schema;
  return typeof additionalProperties === 'object' ? [additionalProperties, keyPath(path, name)] : [undefined, path];
}

function coerceMeta(object: JsonObject, name: string, path: Path, coercion: Coercion): FieldIssue | undefined {
  const value = object[name] as JsonValue;
  if (name === 'metadata') {
    const form = metaForm(value, coercion);
    if (form.ok) {
      object['metadata'] = form.metadata;
      const prefix = formatPath(childPath(path, 'metadata'));
      for (const field of form.unknown) coercion.unknown.push(`${prefix}.${field}`);
    } else if (coercion.dropMalformed !== true) return invalid(childPath(path, 'metadata'), value, form.message);
  } else if ((name === 'apiVersion' || name === 'kind') && typeof value !== 'string') {
    if (coercion.dropMalformed !== true) return invalid(childPath(path, name), value, 'must be a string');
    delete object[name];
  }
  return undefined;
}

/**
 * The issues with type fields and metadata of embedded resources. `isResource`: true if the value itself is a resource.
 */
export function validateEmbedded(
  schema: StructuralSchema,
  value: JsonValue,
  options: { readonly objectMeta: TypeView; readonly path?: FieldPath | undefined; readonly isResource?: boolean },
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  addIssues(issues, schema, value, options.path, options.isResource === true, options.objectMeta);
  return issues;
}

function addIssues(
  issues: FieldIssue[],
  schema: StructuralSchema | undefined,
  value: JsonValue,
  path: Path,
  isResource: boolean,
  objectMeta: TypeView,
): void {
  if (schema === undefined || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((item, i) => void addIssues(issues, schema.items, item, indexPath(path, i), false, objectMeta));
    return;
  }
  if (issues.length >= MAX_FINDINGS) return;
  if (isResource || schema.embeddedResource) addResourceIssues(issues, value, path, objectMeta);
  for (const name of Object.keys(value)) {
    const [next, at] = fieldOf(schema, name, path);
    addIssues(issues, next, value[name] as JsonValue, at, false, objectMeta);
  }
}

function addResourceIssues(issues: FieldIssue[], object: JsonObject, path: Path, objectMeta: TypeView): void {
  for (const name of ['apiVersion', 'kind'])
    if (!Object.hasOwn(object, name)) issues.push(required(childPath(path, name), ''));
  for (const name of ['apiVersion', 'kind'] as const) {
    if (!Object.hasOwn(object, name)) continue;
    const value = object[name] as JsonValue;
    const detail = typeof value === 'string' ? TYPE_FIELDS[name](value) : 'must be a string';
    if (detail !== undefined) issues.push(invalid(childPath(path, name), value, detail));
  }
  if (!Object.hasOwn(object, 'metadata')) return;
  const at = childPath(path, 'metadata');
  const form = metaForm(object['metadata'] as JsonValue, { objectMeta });
  if (!form.ok) {
    issues.push(invalid(at, object['metadata'] as JsonValue, form.message));
    return;
  }
  const facts = form.metadata as ObjectMetaFacts;
  // Embedded resources need no name: a valid one is put in place of an empty one.
  const named = isJsonObject(form.metadata) && (facts.name ?? '') === '' ? { ...facts, name: 'fakename' } : facts;
  const rules = { namespaced: (facts.namespace ?? '') !== '', name: nameIsPathSegment };
  for (const issue of validateObjectMeta(named, rules, at)) issues.push(issue);
}

const TYPE_FIELDS: Readonly<Record<'apiVersion' | 'kind', (text: string) => string | undefined>> = {
  apiVersion: (text) => {
    if (text === '') return 'must not be empty';
    const parsed = parseGroupVersion(text);
    return parsed.ok ? undefined : parsed.message;
  },
  kind: (text) => {
    if (text === '') return 'must not be empty';
    const complaints = checkDns1035Label(text.toLowerCase());
    if (complaints.length === 0) return undefined;
    return `may have mixed case, but should otherwise match: ${complaints.join(',')}`;
  },
};
