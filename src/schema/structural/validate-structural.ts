/**
 * The rules that make a schema structural, with kube-apiserver's messages. Issues are sorted by their texts, as
 * kube-apiserver sorts them.
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
import { hasIntOrStringAllOf, hasIntOrStringAnyOf, hasKeyword } from './int-or-string-schema.ts';
import { PatternChecker } from './pattern-problem.ts';
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

/** The state of one validation. */
interface Walk {
  readonly issues: FieldIssue[];
  readonly plain: PlainNodes;
  readonly patterns: PatternChecker;
}

/**
 * The reasons why a schema is not structural; empty if it is. `path` is the path of the schema; `plain` lists nodes
 * that are known to be structural and are skipped.
 */
export function validateStructural(
  schema: StructuralSchema,
  path?: FieldPath,
  plain: PlainNodes = NO_PLAIN_NODES,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  addNodeIssues({ issues, plain, patterns: new PatternChecker() }, schema, 'root', path);
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

function addNodeIssues(walk: Walk, schema: StructuralSchema, level: Level, path: Path): void {
  if (walk.plain.has(schema.source)) return;
  const { type, items, properties, additionalProperties } = schema;
  if (type === 'array' && items === undefined)
    walk.issues.push(required(childPath(path, 'items'), 'must be specified'));
  if (items !== undefined) addNodeIssues(walk, items, 'item', childPath(path, 'items'));
  for (const [name, property] of properties)
    if (!walk.plain.has(property.source))
      addNodeIssues(walk, property, 'field', childPath(path, 'properties').key(name));
  if (additionalProperties !== undefined) {
    const at = childPath(path, 'additionalProperties');
    if (level === 'root') walk.issues.push(forbidden(at, 'must not be used at the root'));
    if (typeof additionalProperties === 'object') addNodeIssues(walk, additionalProperties, 'field', at);
  }
  addExtensionIssues(walk, schema, path);
  addValueIssues(walk, schema, {
    skipAnyOf: hasIntOrStringAnyOf(schema.source),
    skipFirstAllOf: hasIntOrStringAllOf(schema.source),
    path,
  });
  addTypeIssues(walk, schema, level, path);
  addMetaIssues(walk, schema, level, path);
}

function addExtensionIssues(walk: Walk, schema: StructuralSchema, path: Path): void {
  if (!schema.intOrString) return;
  const detail = `must be false if ${INT_OR_STRING} is true`;
  if (schema.preserveUnknownFields) walk.issues.push(invalid(childPath(path, PRESERVE_UNKNOWN), true, detail));
  if (schema.embeddedResource) walk.issues.push(invalid(childPath(path, EMBEDDED_RESOURCE), true, detail));
}

function addTypeIssues(walk: Walk, schema: StructuralSchema, level: Level, path: Path): void {
  const { type, embeddedResource, intOrString, preserveUnknownFields } = schema;
  const at = childPath(path, 'type');
  if (embeddedResource && type !== 'object') {
    const detail = `must be object if ${EMBEDDED_RESOURCE} is true`;
    walk.issues.push(type === ('' as string) ? required(at, detail) : invalid(at, type, detail));
  } else if (type === '' && !intOrString && !preserveUnknownFields) {
    walk.issues.push(required(at, EMPTY_TYPE[level]));
  }
  if (embeddedResource && schema.additionalProperties !== undefined)
    walk.issues.push(
      forbidden(childPath(path, 'additionalProperties'), `must not be used if ${EMBEDDED_RESOURCE} is set`),
    );
  if (level === 'root' && type !== '' && type !== 'object')
    walk.issues.push(invalid(at, type, 'must be object at the root'));
}

function addMetaIssues(walk: Walk, schema: StructuralSchema, level: Level, path: Path): void {
  const { properties, embeddedResource } = schema;
  const isResource = level === 'root' || embeddedResource;
  const at = childPath(path, 'properties');
  for (const name of isResource ? ['kind', 'apiVersion'] : []) {
    const property = properties.get(name);
    if (property !== undefined && property.type !== 'string')
      walk.issues.push(invalid(at.key(name).child('type'), property.type, 'must be string'));
  }
  const metadata = properties.get('metadata');
  if (metadata !== undefined) {
    if (isResource && metadata.type !== 'object')
      walk.issues.push(invalid(at.key('metadata').child('type'), metadata.type, 'must be object'));
    if (level === 'root' && !restrictsNamesOnly(metadata))
      walk.issues.push(
        forbidden(
          at.key('metadata'),
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      );
  }
  if (embeddedResource && !schema.preserveUnknownFields && properties.size === 0) {
    const detail = `must not be empty if ${EMBEDDED_RESOURCE} is true without ${PRESERVE_UNKNOWN}`;
    walk.issues.push(required(at, detail));
  }
}

/**
 * True if the schema of metadata restricts nothing but `name` and `generateName`. It may have a type. A default is
 * ignored here: `validateDefaults` refuses it.
 */
function restrictsNamesOnly({ source }: StructuralSchema): boolean {
  const names = namesOf(source, 'properties');
  if (!names.every((name) => name === 'name' || name === 'generateName')) return false;
  const free = new Set(['type', 'default', 'properties']);
  return Object.keys(source).every((name) => free.has(name) || !hasKeyword(source, name));
}

interface ValuePlace {
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOf: boolean;
  readonly path: Path;
}

function addValueIssues(walk: Walk, value: ValueValidation, place: ValuePlace): void {
  const { path } = place;
  const part = (name: string, index: number): Path => childPath(path, name).index(index);
  if (!place.skipAnyOf) value.anyOf.forEach((each, i) => void addNestedIssues(walk, each, false, part('anyOf', i)));
  value.allOf.forEach((each, i) => {
    addNestedIssues(walk, each, place.skipFirstAllOf && i === 0, part('allOf', i));
  });
  value.oneOf.forEach((each, i) => void addNestedIssues(walk, each, false, part('oneOf', i)));
  if (value.not !== undefined) addNestedIssues(walk, value.not, false, childPath(path, 'not'));
  if (value.pattern === '') return;
  const problem = walk.patterns.problem(value.pattern);
  if (problem === undefined) return;
  const detail = `must be a valid regular expression, but isn't: ${problem}`;
  walk.issues.push(invalid(childPath(path, 'pattern'), value.pattern, detail));
}

function addNestedIssues(walk: Walk, value: NestedValidation, skipAnyOf: boolean, path: Path): void {
  const { source } = value;
  addValueIssues(walk, value, { skipAnyOf, skipFirstAllOf: false, path });
  if (value.items !== undefined) addNestedIssues(walk, value.items, false, childPath(path, 'items'));
  const properties = childPath(path, 'properties');
  for (const [name, property] of value.properties) addNestedIssues(walk, property, false, properties.key(name));
  const refuse = (name: string, how: string): void => {
    walk.issues.push(forbidden(childPath(path, name), `must be ${how} to be structural`));
  };
  for (const name of ['type', 'title', 'description']) if (textOf(source, name) !== '') refuse(name, 'empty');
  for (const name of ['additionalProperties', 'default'] as const)
    if (hasKeyword(source, name)) refuse(name, 'undefined');
  for (const name of ['nullable', PRESERVE_UNKNOWN, EMBEDDED_RESOURCE, INT_OR_STRING])
    if (source[name] === true) refuse(name, 'false');
  for (const name of [LIST_MAP_KEYS, VALIDATIONS]) if (listOf(source, name).length > 0) refuse(name, 'empty');
  for (const name of [LIST_TYPE, MAP_TYPE]) if (typeof source[name] === 'string') refuse(name, 'undefined');
  if (value.properties.has('metadata'))
    walk.issues.push(forbidden(properties.key('metadata'), 'must not be specified in a nested context'));
}
