/** Generators of random schemas and objects: most are valid, some are errors that the reference reports. */
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import type { Random } from '../../test/fuzz/random.ts';

const NAMES = ['a', 'b', 'c', 'kind', 'x-y', 'metadata', 'name'];
const PATTERNS = ['^a', '[0-9]+$', '^[a-z]{1,3}$', 'b|c', '^$'];
export const FORMATS: readonly string[] = [
  'date',
  'date-time',
  'duration',
  'ipv4',
  'ipv6',
  'cidr',
  'mac',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'byte',
  'uri',
  'email',
  'hostname',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'bsonobjectid',
  'password',
  'k8s-short-name',
  'k8s-long-name',
];
const TEXTS = ['', 'a', 'ab', 'abc', 'b1', '12', 'äöü', '😀x', '2024-02-29', '1h', '10.0.0.1', 'null', 'c'];
const NUMBERS: readonly JsonValue[] = [0, 1, 2, 3, -1, 10, 1.5, 2.5, 97, 2147483648, 9007199254740993n, 1e30, 0.1];
const SCALARS: readonly JsonValue[] = [...TEXTS, ...NUMBERS, true, false, null];

const chance = (random: Random, of: number): boolean => random.int(of) === 0;

/** Adds limits, which are allowed anywhere. */
function limits(random: Random, node: JsonObject, depth: number, logic: number): void {
  const maybe = (of: number, name: string, make: () => JsonValue): void => {
    if (chance(random, of)) node[name] = make();
  };
  const small = (): number => random.int(4);
  maybe(8, 'maxLength', small);
  maybe(10, 'minLength', small);
  maybe(8, 'pattern', () => random.pick(PATTERNS));
  maybe(8, 'maximum', () => random.pick([0, 1, 2.5, 10, 1e30, -1]));
  maybe(20, 'exclusiveMaximum', () => true);
  maybe(8, 'minimum', () => random.pick([0, 1, 1.5, 2, 9, -5]));
  maybe(20, 'exclusiveMinimum', () => true);
  maybe(14, 'multipleOf', () => random.pick([1, 2, 0.5, 3, 0.1]));
  maybe(10, 'maxItems', small);
  maybe(10, 'minItems', small);
  maybe(12, 'maxProperties', small);
  maybe(12, 'minProperties', small);
  maybe(6, 'required', () => [random.pick(NAMES)]);
  maybe(8, 'format', () => random.pick([...FORMATS, 'int32', 'int64', 'float', 'double', 'unknown']));
  maybe(8, 'enum', () => Array.from({ length: 1 + random.int(3) }, () => random.pick(SCALARS)));
  if (logic === 0) return;
  for (const name of ['allOf', 'anyOf', 'oneOf'])
    maybe(9, name, () => Array.from({ length: 1 + random.int(3) }, () => nested(random, depth - 1, logic - 1)));
  maybe(14, 'not', () => nested(random, depth - 1, logic - 1));
}

function nested(random: Random, depth: number, logic: number): JsonObject {
  const node: JsonObject = {};
  limits(random, node, depth, logic);
  if (depth > 0 && chance(random, 2)) node['properties'] = { [random.pick(NAMES)]: nested(random, depth - 1, logic) };
  if (depth > 0 && chance(random, 5)) node['items'] = nested(random, depth - 1, logic);
  return node;
}

/** Returns a node of a schema that is mostly structural. */
export function structuralSchema(random: Random, depth: number): JsonObject {
  const type = random.pick(depth > 0 ? ['object', 'object', 'array', 'string', 'integer'] : LEAVES);
  const node: JsonObject = { type };
  limits(random, node, depth, 2);
  if (chance(random, 8)) node['nullable'] = true;
  if (chance(random, 5)) node['default'] = valueFor(random, node, 1);
  if (type === 'object') fillObject(random, node, depth);
  if (type === 'array') {
    node['items'] = structuralSchema(random, depth - 1);
    fillListType(random, node);
  }
  if (type === 'integer' && chance(random, 3)) {
    delete node['type'];
    node['x-kubernetes-int-or-string'] = true;
  }
  return node;
}

const LEAVES = ['string', 'integer', 'number', 'boolean', 'object'];

function fillObject(random: Random, node: JsonObject, depth: number): void {
  if (chance(random, 6)) node['x-kubernetes-preserve-unknown-fields'] = true;
  const what = random.int(5);
  if (what === 0 && depth > 0) node['additionalProperties'] = structuralSchema(random, depth - 1);
  else if (what === 1 && chance(random, 2)) node['additionalProperties'] = true;
  else if (depth > 0) {
    const properties: JsonObject = {};
    for (let i = 1 + random.int(4); i > 0; i--) properties[random.pick(NAMES)] = structuralSchema(random, depth - 1);
    node['properties'] = properties;
  }
  if (chance(random, 7) && node['additionalProperties'] === undefined) {
    node['x-kubernetes-embedded-resource'] = true;
    if (chance(random, 2)) node['x-kubernetes-preserve-unknown-fields'] = true;
  }
}

function fillListType(random: Random, node: JsonObject): void {
  const listType = random.pick(['', '', 'atomic', 'set', 'map']);
  if (listType === '') return;
  node['x-kubernetes-list-type'] = listType;
  if (listType !== 'map') return;
  node['x-kubernetes-list-map-keys'] = random.pick([['a'], ['a', 'b']]);
  node['items'] = {
    type: 'object',
    properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'integer', minimum: 1 }, c: { type: 'string' } },
  };
}

/** Returns the schema of a whole resource. */
export function resourceSchema(random: Random): JsonObject {
  const schema: JsonObject = { type: 'object' };
  limits(random, schema, 3, chance(random, 3) ? 2 : 0);
  delete schema['format'];
  delete schema['enum'];
  const properties: JsonObject = { spec: structuralSchema(random, 3) };
  if (chance(random, 2)) properties['status'] = structuralSchema(random, 2);
  if (chance(random, 3)) properties['metadata'] = { type: 'object' };
  schema['properties'] = properties;
  return schema;
}

function anyValue(random: Random, depth: number): JsonValue {
  const what = random.int(depth > 0 ? 6 : 3);
  if (what < 3) return random.pick(SCALARS);
  if (what < 4) return Array.from({ length: random.int(3) }, () => anyValue(random, depth - 1));
  const object: JsonObject = {};
  for (let i = random.int(3); i > 0; i--) object[random.pick([...NAMES, 'apiVersion'])] = anyValue(random, depth - 1);
  return object;
}

/** Returns a value that mostly fits its schema. */
export function valueFor(random: Random, schema: JsonValue | undefined, depth: number): JsonValue {
  if (!isJsonObject(schema) || depth < 0 || chance(random, 12)) return anyValue(random, 2);
  const listed = schema['enum'];
  if (Array.isArray(listed) && chance(random, 2)) return cloneJson(random.pick(listed));
  switch (schema['type']) {
    case 'string':
      return random.pick(TEXTS);
    case 'integer':
    case 'number':
      return random.pick(NUMBERS);
    case 'boolean':
      return chance(random, 2);
    case 'array': {
      const list = Array.from({ length: random.int(4) }, () => valueFor(random, schema['items'], depth - 1));
      const first = list[0];
      if (first !== undefined && chance(random, 3)) list.push(cloneJson(first));
      return list;
    }
    case 'object':
      return objectOf(random, schema, depth);
    default:
      return random.pick(SCALARS);
  }
}

const METADATA: readonly JsonValue[] = [
  {},
  { name: 'n' },
  { name: 'a/b', namespace: 'X' },
  { labels: { a: 'b', '-': '_' } },
  { labels: { a: 1 } },
  { unknown: 1, ownerReferences: [{ extra: true, name: 'x' }] },
  'text',
  null,
];

function objectOf(random: Random, schema: JsonObject, depth: number): JsonObject {
  const object: JsonObject = {};
  const properties = schema['properties'];
  if (isJsonObject(properties))
    for (const name of Object.keys(properties))
      if (!chance(random, 4)) object[name] = valueFor(random, properties[name], depth - 1);
  if (isJsonObject(schema['additionalProperties']))
    for (const name of ['k', 'l'])
      if (chance(random, 2)) object[name] = valueFor(random, schema['additionalProperties'], depth - 1);
  if (chance(random, 4)) object[random.pick([...NAMES, 'z'])] = anyValue(random, 2);
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (!chance(random, 5)) object['apiVersion'] = random.pick(['v1', 'a/b', 'a/b/c', '', 5]);
    if (!chance(random, 5)) object['kind'] = random.pick(['Pod', 'pod-x', '', 'A_B', true]);
    if (!chance(random, 3)) object['metadata'] = cloneJson(random.pick(METADATA));
  }
  return object;
}

export function resource(random: Random, schema: JsonObject): JsonObject {
  return {
    ...objectOf(random, schema, 6),
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: random.int(10) === 0 ? cloneJson(random.pick(METADATA)) : { name: 'thing' },
  };
}

/** Returns a copy with a few changed places. */
export function changed(random: Random, object: JsonObject): JsonObject {
  const copy = cloneJson(object);
  for (let i = random.int(3); i > 0; i--) {
    let holder: JsonObject = copy;
    for (let depth = random.int(4); depth > 0; depth--) {
      const below = Object.values(holder).filter((value) => isJsonObject(value) || Array.isArray(value));
      if (below.length === 0) break;
      holder = random.pick(below) as JsonObject;
    }
    const keys = Object.keys(holder).filter((key) => holder !== copy || key === 'spec' || key === 'status');
    if (keys.length === 0) continue;
    const key = random.pick(keys);
    holder[key] = anyValue(random, 1);
  }
  return copy;
}
