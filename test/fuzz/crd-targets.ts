/**
 * Fuzz targets of definitions other than schemas: columns, scale paths, field rules, and answers of conversion
 * webhooks.
 */

import { checkFieldRules } from '../../src/apiextensions/conversion/fields/check-field-rules.ts';
import { fieldsConverter } from '../../src/apiextensions/conversion/fields/fields-converter.ts';
import { parseFieldRules } from '../../src/apiextensions/conversion/fields/parse-field-rules.ts';
import { webhookConverter } from '../../src/apiextensions/conversion/webhook-converter.ts';
import type { Crd, CrdWebhook } from '../../src/apiextensions/crd.ts';
import { parseJsonPath } from '../../src/apimachinery/json-path/json-path.ts';
import { isStatusError } from '../../src/apimachinery/status/status.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { parseStructural } from '../../src/schema/structural/parse-structural.ts';
import { jsonPathTable } from '../../src/server/resource/json-path-columns.ts';
import { integerAt, setIntegerAt, textAtPath } from '../../src/server/resource/scale-paths.ts';
import { OBJECTS } from './schema-targets.ts';
import type { FuzzTarget } from './targets.ts';

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
    fields: [
      { set: '.spec.label', expression: 'has(self.spec) && has(self.spec.name) ? self.spec.name + "x" : ""' },
      { remove: '.spec.on' },
    ],
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
  if (parsed.problems.length > 0) return false;
  const converter = fieldsConverter({
    group: 'example.com',
    kind: 'Thing',
    pairs: parsed.pairs,
    schemaOf: (version) => checkedVersions.find(({ name }) => name === version)?.schema,
    complete: () => undefined,
  });
  for (const { from, to } of parsed.pairs) {
    for (const original of OBJECTS) {
      const [converted] = converter.convert([cloneJson(original)], from, to) as readonly JsonObject[];
      if (isStatusError(converted)) continue;
      if (converted?.['apiVersion'] !== `example.com/${to}`) throw new Error('converted to the wrong version');
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
    client: { post: async () => ({ status: 200, body }) },
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
  if (object?.['apiVersion'] !== 'example.com/v1' || object['kind'] !== 'Thing')
    throw new Error('the kind has changed');
  for (const name of ['name', 'namespace', 'uid', 'resourceVersion'])
    if (metadata[name] !== METADATA[name]) throw new Error(`the webhook changed ${name}`);
  return true;
}

/** Evaluates columns of every type on objects of every form. */
function runColumn(jsonPath: string): boolean {
  const isPath = parseJsonPath(jsonPath) !== undefined;
  for (const type of ['string', 'integer', 'number', 'boolean', 'date']) {
    const table = jsonPathTable([{ name: 'C', type, format: '', description: '', priority: 0, jsonPath }]);
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
    if (!read.ok || read.value !== 5) throw new Error('the value that was set is missing');
    if (Object.getPrototypeOf(object) !== Object.prototype) throw new Error('the prototype was changed');
  }
  if (({} as Record<string, unknown>)['replicas'] !== undefined) throw new Error('the prototype was changed');
  return found;
}

export const crdTargets: readonly FuzzTarget[] = [
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
      '.?',
      'has(',
      'remove: .',
      '.__proto__.x',
      'v1',
      'null',
      'lossy: [',
      '"',
      ',',
    ],
    stepsPerByte: 500,
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
    run: (input) => runScalePath(decodeUtf8(input)),
  },
];
