/** What the author of a definition writes: schemas, patterns, columns, scale paths, field rules; and what a conversion webhook answers. */

import { checkFieldRules } from '../../src/apiextensions/conversion/fields/check-field-rules.ts';
import { fieldsConverter } from '../../src/apiextensions/conversion/fields/fields-converter.ts';
import { parseFieldRules } from '../../src/apiextensions/conversion/fields/parse-field-rules.ts';
import { webhookConverter } from '../../src/apiextensions/conversion/webhook-converter.ts';
import type { Crd, CrdWebhook } from '../../src/apiextensions/crd.ts';
import { customTable } from '../../src/apiextensions/custom-resource/columns.ts';
import { parseJsonPath } from '../../src/apiextensions/custom-resource/json-path.ts';
import { objectMetaView } from '../../src/apiextensions/custom-resource/object-meta.ts';
import { integerAt, setIntegerAt, textAtPath } from '../../src/apiextensions/custom-resource/scale-paths.ts';
import { createSchemaChecks } from '../../src/apiextensions/definition/create-schema-checks.ts';
import { CRD_V1 } from '../../src/apiextensions/definition/definition.ts';
import { validateDefinition } from '../../src/apiextensions/definition/validate.ts';
import { isStatusError } from '../../src/apimachinery/status/status.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { readJson } from '../../src/base/json-read.ts';
import { cloneJson, equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { compileRe2 } from '../../src/base/re2/re2.ts';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { parseStructural } from '../../src/schema/parse-structural.ts';
import { rulesOf } from '../../src/schema/rules/rules-of.ts';
import { validateStructural } from '../../src/schema/validate-structural.ts';
import type { FuzzTarget } from './targets.ts';

const OBJECTS: readonly JsonObject[] = [
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

/** True if a definition with the schema may be stored; then objects are made and judged by it. */
function runSchema(schema: JsonObject): boolean {
  const decoded = CRD_V1.normalize(cloneJson(definitionOf(schema)));
  if (!decoded.ok) return false;
  CRD_V1.setDefaults?.(decoded.object);
  const tools = { checks, caBundle: () => undefined };
  const issues = validateDefinition(decoded.object, { isV1beta1: false, tools });
  const parsed = parseStructural(schema);
  if (!parsed.ok) return false;
  if (validateStructural(parsed.schema).length > 0 || issues.length > 0) return false;
  const plan = compileSchema(parsed.schema, { objectMeta: objectMetaView(), rules: rulesOf(parsed.schema) });
  for (const original of OBJECTS) {
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

const TEXTS = ['', 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaab', 'x'.repeat(500), 'é😀\n\0', 'ab'.repeat(200)];

const RULES_TEXT = `- from: v1beta1
  to: v1
  fields:
  - {move: .spec.cron, to: .spec.schedule}
  - {move: '.spec.ports[*].number', to: '.spec.ports[*].port'}
  - {default: .spec.replicas, value: 1}
`;
const RULES_BOTH = writeJson([
  {
    from: 'v1',
    to: 'v1beta1',
    fields: [{ set: '.spec.label', expression: 'self.spec.name + "x"' }, { remove: '.spec.on' }],
    lossy: ['.spec.on'],
  },
  { from: 'v1beta1', to: 'v1', lossy: ['.spec.on'], fields: [{ default: '.spec.name', value: 'x' }] },
]);

const checkedVersions = ['v1', 'v1beta1'].map((name) => {
  const schema = parseStructural({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: {
          name: { type: 'string' },
          on: { type: 'boolean' },
          ports: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      },
    },
  });
  if (!schema.ok) throw new Error(schema.message);
  return { name, schema: schema.schema, prune: () => undefined };
});

function runFieldRules(text: string): boolean {
  const parsed = parseFieldRules(text);
  const problems = checkFieldRules(text, checkedVersions);
  if (!parsed.ok) return false;
  const converter = fieldsConverter({
    group: 'example.com',
    kind: 'Thing',
    pairs: parsed.pairs,
    schemaOf: (version) => checkedVersions.find(({ name }) => name === version)?.schema,
  });
  for (const { from, to } of parsed.pairs) {
    for (const original of OBJECTS) {
      try {
        const [converted] = converter.convert([cloneJson(original)], from, to) as readonly JsonObject[];
        if (converted?.['apiVersion'] !== `example.com/${to}`) throw new Error('another version than was asked for');
      } catch (caught) {
        if (!isStatusError(caught)) throw caught;
      }
    }
  }
  return problems.length === 0;
}

const WEBHOOK: CrdWebhook = {
  url: 'https://127.0.0.1/convert',
  service: undefined,
  caBundle: '',
  conversionReviewVersions: ['v1'],
};
const CRD = { group: 'example.com', names: { kind: 'Thing' } } as Crd;
const METADATA: JsonObject = { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7', labels: { a: 'b' } };

function answerOf(...objects: JsonValue[]): string {
  return writeJson({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    response: { uid: 'the-uid', result: { status: 'Success' }, convertedObjects: objects },
  });
}

const CONVERTED: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { ...METADATA, labels: { c: 'd' }, annotations: { x: 'y' } },
  spec: { a: 1 },
};

async function runConversion(body: Uint8Array): Promise<boolean> {
  const converter = webhookConverter(CRD, WEBHOOK, {
    client: { post: async () => ({ status: 200, body }), stop: async () => undefined },
    services: { resolve: () => ({ host: '127.0.0.1', port: 1 }) },
    newUid: () => 'the-uid',
  });
  const original: JsonObject = { apiVersion: 'example.com/v1beta1', kind: 'Thing', metadata: METADATA, spec: {} };
  let converted: readonly JsonObject[];
  try {
    converted = await converter.convert([cloneJson(original)], 'v1beta1', 'v1');
  } catch (caught) {
    if (!isStatusError(caught)) throw caught;
    return false;
  }
  const [object] = converted;
  const metadata = object?.['metadata'];
  if (converted.length !== 1 || !isJsonObject(metadata)) throw new Error('an object was lost');
  if (object?.['apiVersion'] !== 'example.com/v1' || object['kind'] !== 'Thing') throw new Error('another kind');
  for (const name of ['name', 'namespace', 'uid', 'resourceVersion'])
    if (metadata[name] !== METADATA[name]) throw new Error(`the webhook changed ${name}`);
  return true;
}

/** Columns of every type on objects of every form. */
function runColumn(jsonPath: string): boolean {
  const isPath = parseJsonPath(jsonPath) !== undefined;
  for (const type of ['string', 'integer', 'number', 'boolean', 'date']) {
    const table = customTable([{ name: 'C', type, format: '', description: '', priority: 0, jsonPath }]);
    for (const object of OBJECTS) for (const cell of table.cells(object, 0)) writeJson(cell);
  }
  return isPath;
}

function runScalePath(path: string): boolean {
  let found = false;
  for (const original of OBJECTS) {
    found = integerAt(original, path).ok || found;
    textAtPath(original, path);
    const object = cloneJson(original);
    if (setIntegerAt(object, path, 5) !== undefined) continue;
    const read = integerAt(object, path);
    if (!read.ok || read.value !== 5) throw new Error('what was set is not there');
    if (Object.getPrototypeOf(object) !== Object.prototype) throw new Error('the prototype was changed');
  }
  if (({} as Record<string, unknown>)['replicas'] !== undefined) throw new Error('the prototype was changed');
  return found;
}

export const crdTargets: readonly FuzzTarget[] = [
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
    stepsPerByte: 4000,
    run(input) {
      const schema = readJson(input);
      return schema.ok && isJsonObject(schema.value) && runSchema(schema.value);
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
    // A pattern is a program: what a match takes is its length times that of the text.
    stepsPerByte: 20_000,
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
  {
    name: 'field-rules',
    corpus: [RULES_TEXT, RULES_BOTH],
    words: [
      'move: ',
      'to: ',
      '.spec',
      '[*]',
      '.',
      '- ',
      '{',
      '}',
      'set',
      'expression: self',
      'remove: .',
      '.__proto__.x',
      'v1',
      'null',
      'lossy: [',
      '"',
      ',',
    ],
    stepsPerByte: 1500,
    run: (input) => runFieldRules(decodeUtf8(input)),
  },
  {
    name: 'conversion-answer',
    corpus: [
      answerOf(CONVERTED),
      answerOf({ ...CONVERTED, metadata: { ...METADATA, finalizers: ['x'], generation: 3 } }),
    ],
    words: [
      '"uid":"x",',
      '"name":"z",',
      '"metadata":null,',
      '"labels":{"a b":"c"},',
      '"labels":[],',
      '"kind":"Pod",',
      '"__proto__":{},',
      'null',
      '[]',
      '{',
      '}',
      '"',
      '1e999',
    ],
    run: (input) => runConversion(input),
  },
  {
    name: 'json-path',
    corpus: [
      '.spec.ports[*].name',
      '.spec.ports[?(@.port>0)].name',
      '..name',
      ".metadata.labels['a\\.b']",
      '.spec.ports[-1:].port',
      '.spec.unknown.deep[0,1]',
      '',
    ],
    words: [
      '..',
      '[',
      ']',
      '[?(',
      ')]',
      '@',
      '*',
      "'",
      '"',
      '\\',
      ':',
      ',',
      '-1',
      '99999999999',
      '==',
      '<=',
      '.__proto__',
      '.constructor',
      '{',
      ' ',
    ],
    stepsPerByte: 1000,
    run: (input) => runColumn(decodeUtf8(input)),
  },
  {
    name: 'scale-path',
    corpus: ['.spec.replicas', '.status.replicas', '.spec.unknown.deep', '.a.b.c'],
    words: ['.', '..', '__proto__', 'constructor', 'prototype', 'spec', 'replicas', '[', 'toString'],
    stepsPerByte: 1000,
    run: (input) => runScalePath(decodeUtf8(input)),
  },
];
