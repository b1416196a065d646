/** Fuzz targets of schemas in definitions, objects validated by them, and regular expressions in them. */

import { CRD_V1 } from '../../src/apiextensions/definition/crd-definition.ts';
import { createSchemaChecks } from '../../src/apiextensions/definition/validation/create-schema-checks.ts';
import { validateDefinition } from '../../src/apiextensions/definition/validation/validate-definition.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { readJson } from '../../src/base/json-read.ts';
import { cloneJson, equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { compileRe2 } from '../../src/base/re2/re2.ts';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { rulesOf } from '../../src/schema/rules/rules-of.ts';
import { parseStructural } from '../../src/schema/structural/parse-structural.ts';
import { validateStructural } from '../../src/schema/structural/validate-structural.ts';
import { objectMetaView } from '../../src/server/resource/schema/object-metadata-form.ts';
import { mutateTree, randomOf } from './mutate-tree.ts';
import type { FuzzTarget } from './targets.ts';

/** Objects of all forms. They must not be modified. */
export const OBJECTS: readonly JsonObject[] = [
  {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', labels: { a: 'b' } },
    spec: {
      name: 'web',
      replicas: 3,
      port: '80%',
      ports: [{ name: 'a', port: 1 }, { name: 'b' }, null],
      labels: { a: 'b', c: null },
      size: 1.5,
      on: true,
      when: '2024-01-02T03:04:05Z',
      unknown: { deep: [1, [2, { x: 9007199254740993n }]] },
    },
    status: { replicas: 2, selector: 'a=b' },
  },
  { apiVersion: 'example.com/v1', kind: 'Thing', metadata: {}, spec: null },
  { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x' }, spec: [[], {}, ''], status: 7 },
];

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 10, pattern: '^[a-z]+$', default: 'none' },
        replicas: { type: 'integer', minimum: 0, maximum: 10, multipleOf: 1, format: 'int32' },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        ports: {
          type: 'array',
          maxItems: 5,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string', enum: ['a', 'b'] }, port: { type: 'integer', default: 80 } },
            'x-kubernetes-validations': [{ rule: 'self.port > 0', message: 'no port' }],
          },
        },
        labels: { type: 'object', additionalProperties: { type: 'string', nullable: true }, maxProperties: 4 },
        when: { type: 'string', format: 'date-time' },
      },
      'x-kubernetes-validations': [
        {
          rule: 'self.name != "x"',
          messageExpression: '"not " + self.name',
          reason: 'FieldValueForbidden',
          fieldPath: '.name',
        },
        { rule: '!has(oldSelf.replicas) || self.replicas >= oldSelf.replicas' },
      ],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, not: { required: ['bad'] } },
  },
};

const SMALL: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      allOf: [{ minProperties: 1 }, { oneOf: [{ required: ['a'] }, { not: { properties: { a: { maxLength: 1 } } } }] }],
    },
  },
};

const checks = createSchemaChecks();

function definitionOf(schema: JsonObject): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
    status: { storedVersions: ['v1'] },
  };
}

/** Returns true if a definition with the schema is valid. Objects are then pruned, defaulted and validated by it. */
function runSchema(schema: JsonObject, objects: readonly JsonObject[] = OBJECTS): boolean {
  const decoded = CRD_V1.normalize(cloneJson(definitionOf(schema)));
  if (!decoded.ok) return false;
  CRD_V1.setDefaults?.(decoded.object);
  const tools = { checks, caBundle: () => undefined };
  const issues = validateDefinition(decoded.object, { isV1beta1: false, tools });
  const parsed = parseStructural(schema);
  if (!parsed.ok) return false;
  if (validateStructural(parsed.schema).length > 0 || issues.length > 0) return false;
  const plan = compileSchema(parsed.schema, { objectMeta: objectMetaView(), rules: rulesOf(parsed.schema) });
  for (const original of objects) {
    const object = cloneJson(original);
    plan.prune(object);
    plan.setDefaults(object);
    const coerced = plan.coerceEmbedded(object);
    const once = cloneJson(object);
    plan.prune(object);
    plan.setDefaults(object);
    if (coerced.ok && !equalJson(once, object)) throw new Error('pruning and defaulting twice is not the same as once');
    plan.validate(object);
    plan.validate(object, { old: cloneJson(original) });
  }
  return true;
}

/** Fields of schemas, mostly with meaningful values. */
const SCHEMA_FIELDS: readonly (readonly [string, JsonValue])[] = [
  ['type', 'object'],
  ['type', 'array'],
  ['type', 'string'],
  ['type', 'number'],
  ['items', { type: 'string' }],
  ['properties', { a: { type: 'string', default: 'x' } }],
  ['additionalProperties', { type: 'integer' }],
  ['default', {}],
  ['default', 'abc'],
  ['default', [{ name: 'a' }]],
  ['nullable', true],
  ['format', 'date-time'],
  ['format', 'duration'],
  ['format', 'byte'],
  ['pattern', '^(a|b)*$'],
  ['maxItems', 1],
  ['enum', ['a', 1, null, {}]],
  ['required', ['a', 'name']],
  ['not', { required: ['x'] }],
  ['anyOf', [{ minLength: 1 }, { maximum: 3 }]],
  ['oneOf', [{ properties: { name: { pattern: 'w' } } }, { minProperties: 1 }]],
  ['x-kubernetes-preserve-unknown-fields', true],
  ['x-kubernetes-embedded-resource', true],
  ['x-kubernetes-int-or-string', true],
  ['x-kubernetes-list-type', 'set'],
  ['x-kubernetes-list-type', 'atomic'],
  ['x-kubernetes-map-type', 'atomic'],
  ['x-kubernetes-validations', [{ rule: 'self == self' }, { rule: 'oldSelf == self', optionalOldSelf: false }]],
  ['x-kubernetes-validations', [{ rule: 'has(self.name) ? self.name != "" : true', message: 'no name' }]],
];

const VALUES: readonly JsonValue[] = [
  null,
  '',
  'a',
  'web',
  0,
  -1,
  1.5,
  9007199254740993n,
  true,
  [],
  {},
  ['a', 'a'],
  { a: null },
  { name: 'a' },
  '2024-01-02T03:04:05Z',
  '1h',
  [[]],
  { kind: 'X', metadata: { name: 5 } },
];

const OBJECT_FIELDS: readonly (readonly [string, JsonValue])[] = VALUES.flatMap((value) =>
  (['a', 'name', 'ports', 'zz'] as const).map((name) => [name, value] as const),
);

const TEXTS = ['', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'x'.repeat(500), 'é😀\n\0', 'ab'.repeat(200)];

/** The input without mutations. */
const AS_IT_IS = 'as it is';

export const schemaTargets: readonly FuzzTarget[] = [
  {
    name: 'schema',
    corpus: [writeJson(SCHEMA), writeJson(SMALL)],
    words: [
      '"type":"object",',
      '"type":"array",',
      '"items":{},',
      '"default":{},',
      '"default":[1],',
      '"nullable":true,',
      '"x-kubernetes-preserve-unknown-fields":true,',
      '"x-kubernetes-embedded-resource":true,',
      '"x-kubernetes-list-type":"set",',
      '"additionalProperties":{"type":"string"},',
      '"properties":{"a":{"properties":{',
      '"allOf":[{"not":{}}],',
      '"pattern":"(a*)*$",',
      '"enum":[null,{}],',
      '"multipleOf":0,',
      '"maxLength":-1,',
      '"minimum":1e308,',
      '"$ref":"#",',
      '"rule":"self.all(x, x == x)",',
      '"__proto__":{},',
      'null',
      '{',
      '}',
    ],
    stepsPerByte: 500,
    run(input) {
      const schema = readJson(input);
      return schema.ok && isJsonObject(schema.value) && runSchema(schema.value);
    },
  },
  {
    name: 'schema-tree',
    corpus: [AS_IT_IS],
    words: ['a', 'b'],
    stepsPerInput: 500_000,
    // The bytes of the input seed the mutations of the schema and the objects.
    run(input) {
      if (decodeUtf8(input) === AS_IT_IS) return runSchema(SCHEMA);
      const random = randomOf(input);
      const schema =
        random.int(8) === 0 ? SCHEMA : mutateTree(random.int(4) === 0 ? SMALL : SCHEMA, random, SCHEMA_FIELDS, VALUES);
      const objects = OBJECTS.map((object) => mutateTree(object, random, OBJECT_FIELDS, VALUES));
      for (const object of objects) object['metadata'] = { name: 'a' };
      return runSchema(schema, objects);
    },
  },
  {
    name: 'pattern',
    corpus: [
      '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
      '(a+)+b|(x*)*y$',
      '(?i)\\bfoo\\b|\\p{Greek}+|[^\\d\\s]{2,5}?',
      '((a{1,10}){1,10}){1,10}',
      '(?P<name>[[:alpha:]]+)\\x{1F600}?\\Qa.b\\E',
    ],
    words: [
      '(',
      ')',
      '*',
      '+?',
      '{1000}',
      '{2,}',
      '{0,999}',
      '[',
      ']',
      '^',
      '|',
      '\\p{L}',
      '(?i)',
      '\\C',
      '.*',
      '(a|a)*',
      '\\1',
      '(?=',
    ],
    // The work of a match is the length of the pattern times that of the text.
    stepsPerByte: 10_000,
    stepsPerInput: 200_000,
    run(input) {
      const result = compileRe2(decodeUtf8(input));
      if (!result.ok) return false;
      for (const text of TEXTS) {
        result.regexp.test(text);
        result.regexp.find(text);
      }
      result.regexp.findAll('ab ab', 10);
      return true;
    },
  },
];
