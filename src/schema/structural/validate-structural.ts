/**
 * The rules that make a schema structural, with the reference's texts. Invariant: pure; issues come in the order of their texts, as the reference sorts them.
 */
import {
  type FieldIssue,
  forbidden,
  formatIssue,
  invalid,
  required,
} from '../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath } from '../../apimachinery/validation/field-path.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { hasIntOrStringAllOf, hasIntOrStringAnyOf, says } from './int-or-string-schema.ts';
import { patternProblem, renewPatternEffort } from './pattern-problem.ts';
import { NO_PLAIN_NODES, type PlainNodes } from './plain-nodes.ts';
import {
  EMBEDDED_RESOURCE,
  INT_OR_STRING,
  LIST_MAP_KEYS,
  LIST_TYPE,
  listOf,
  MAP_TYPE,
  namesOf,
  PRESERVE_UNKNOWN,
  textOf,
  VALIDATIONS,
} from './schema-source.ts';
import type { NestedValidation, StructuralSchema, ValueValidation } from './structural.ts';
import { addCompletenessIssues } from './validate-completeness.ts';

type Path = FieldPath | undefined;
type Level = 'root' | 'item' | 'field';

/** What keeps a schema from being structural; none if it is. `path` is that of the schema; `plain` are nodes of it that are known to be. */
export function validateStructural(
  schema: StructuralSchema,
  path?: FieldPath,
  plain: PlainNodes = NO_PLAIN_NODES,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  renewPatternEffort();
  addNodeIssues(issues, schema, 'root', path, plain);
  addCompletenessIssues(issues, schema, path);
  if (issues.length === 0) return issues;
  const texts = new Map(issues.map((issue) => [issue, formatIssue(issue)]));
  return issues.sort((a, b) => compareUtf8(texts.get(a) as string, texts.get(b) as string));
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function addNodeIssues(
  issues: FieldIssue[],
  schema: StructuralSchema,
  level: Level,
  path: Path,
  plain: PlainNodes,
): void {
  if (plain.has(schema.source)) return;
  const { type, items, properties, additionalProperties } = schema;
  if (type === 'array' && items === undefined) issues.push(required(childPath(path, 'items'), 'must be specified'));
  if (items !== undefined) addNodeIssues(issues, items, 'item', childPath(path, 'items'), plain);
  for (const [name, property] of properties)
    if (!plain.has(property.source))
      addNodeIssues(issues, property, 'field', childPath(path, 'properties').key(name), plain);
  if (additionalProperties !== undefined) {
    const at = childPath(path, 'additionalProperties');
    if (level === 'root') issues.push(forbidden(at, 'must not be used at the root'));
    if (typeof additionalProperties === 'object') addNodeIssues(issues, additionalProperties, 'field', at, plain);
  }
  addExtensionIssues(issues, schema, path);
  addValueIssues(issues, schema, {
    skipAnyOf: hasIntOrStringAnyOf(schema.source),
    skipFirstAllOf: hasIntOrStringAllOf(schema.source),
    path,
  });
  addTypeIssues(issues, schema, level, path);
  addMetaIssues(issues, schema, level, path);
}

function addExtensionIssues(issues: FieldIssue[], schema: StructuralSchema, path: Path): void {
  if (!schema.intOrString) return;
  const detail = `must be false if ${INT_OR_STRING} is true`;
  if (schema.preserveUnknownFields) issues.push(invalid(childPath(path, PRESERVE_UNKNOWN), true, detail));
  if (schema.embeddedResource) issues.push(invalid(childPath(path, EMBEDDED_RESOURCE), true, detail));
}

function addTypeIssues(issues: FieldIssue[], schema: StructuralSchema, level: Level, path: Path): void {
  const { type, embeddedResource, intOrString, preserveUnknownFields } = schema;
  const at = childPath(path, 'type');
  if (embeddedResource && type !== 'object') {
    const detail = `must be object if ${EMBEDDED_RESOURCE} is true`;
    issues.push(type === ('' as string) ? required(at, detail) : invalid(at, type, detail));
  } else if (type === '' && !intOrString && !preserveUnknownFields) {
    issues.push(required(at, EMPTY_TYPE[level]));
  }
  if (embeddedResource && schema.additionalProperties !== undefined)
    issues.push(forbidden(childPath(path, 'additionalProperties'), `must not be used if ${EMBEDDED_RESOURCE} is set`));
  if (level === 'root' && type !== '' && type !== 'object')
    issues.push(invalid(at, type, 'must be object at the root'));
}

function addMetaIssues(issues: FieldIssue[], schema: StructuralSchema, level: Level, path: Path): void {
  const { properties, embeddedResource } = schema;
  const isResource = level === 'root' || embeddedResource;
  const at = childPath(path, 'properties');
  for (const name of isResource ? ['kind', 'apiVersion'] : []) {
    const property = properties.get(name);
    if (property !== undefined && property.type !== 'string')
      issues.push(invalid(at.key(name).child('type'), property.type, 'must be string'));
  }
  const metadata = properties.get('metadata');
  if (metadata !== undefined) {
    if (isResource && metadata.type !== 'object')
      issues.push(invalid(at.key('metadata').child('type'), metadata.type, 'must be object'));
    if (level === 'root' && !restrictsNamesOnly(metadata))
      issues.push(
        forbidden(
          at.key('metadata'),
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      );
  }
  if (embeddedResource && !schema.preserveUnknownFields && properties.size === 0) {
    const detail = `must not be empty if ${EMBEDDED_RESOURCE} is true without ${PRESERVE_UNKNOWN}`;
    issues.push(required(at, detail));
  }
}

/** Nothing is said of metadata but what its name and generateName look like. A type is allowed; a default is refused elsewhere. */
function restrictsNamesOnly({ source }: StructuralSchema): boolean {
  const names = namesOf(source, 'properties');
  if (!names.every((name) => name === 'name' || name === 'generateName')) return false;
  const free = new Set(['type', 'default', 'properties']);
  return Object.keys(source).every((name) => free.has(name) || !says(source, name));
}

interface ValuePlace {
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOf: boolean;
  readonly path: Path;
}

function addValueIssues(issues: FieldIssue[], value: ValueValidation, place: ValuePlace): void {
  const { path } = place;
  const part = (name: string, index: number): Path => childPath(path, name).index(index);
  if (!place.skipAnyOf) value.anyOf.forEach((each, i) => void addNestedIssues(issues, each, false, part('anyOf', i)));
  value.allOf.forEach((each, i) => {
    addNestedIssues(issues, each, place.skipFirstAllOf && i === 0, part('allOf', i));
  });
  value.oneOf.forEach((each, i) => void addNestedIssues(issues, each, false, part('oneOf', i)));
  if (value.not !== undefined) addNestedIssues(issues, value.not, false, childPath(path, 'not'));
  if (value.pattern === '') return;
  const problem = patternProblem(value.pattern);
  if (problem === undefined) return;
  const detail = `must be a valid regular expression, but isn't: ${problem}`;
  issues.push(invalid(childPath(path, 'pattern'), value.pattern, detail));
}

function addNestedIssues(issues: FieldIssue[], value: NestedValidation, skipAnyOf: boolean, path: Path): void {
  const { source } = value;
  addValueIssues(issues, value, { skipAnyOf, skipFirstAllOf: false, path });
  if (value.items !== undefined) addNestedIssues(issues, value.items, false, childPath(path, 'items'));
  const properties = childPath(path, 'properties');
  for (const [name, property] of value.properties) addNestedIssues(issues, property, false, properties.key(name));
  const refuse = (name: string, how: string): void => {
    issues.push(forbidden(childPath(path, name), `must be ${how} to be structural`));
  };
  for (const name of ['type', 'title', 'description']) if (textOf(source, name) !== '') refuse(name, 'empty');
  for (const name of ['additionalProperties', 'default'] as const) if (says(source, name)) refuse(name, 'undefined');
  for (const name of ['nullable', PRESERVE_UNKNOWN, EMBEDDED_RESOURCE, INT_OR_STRING])
    if (source[name] === true) refuse(name, 'false');
  for (const name of [LIST_MAP_KEYS, VALIDATIONS]) if (listOf(source, name).length > 0) refuse(name, 'empty');
  for (const name of [LIST_TYPE, MAP_TYPE]) if (typeof source[name] === 'string') refuse(name, 'undefined');
  if (value.properties.has('metadata'))
    issues.push(forbidden(properties.key('metadata'), 'must not be specified in a nested context'));
}
