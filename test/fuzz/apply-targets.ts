/** Fuzz targets of server-side apply: field sets, managedFields, and configurations of a built-in kind. */
import { mergeTypeOf } from '../../src/apimachinery/apply/view-type.ts';
import { decodeStrictYaml } from '../../src/apimachinery/codec/strict.ts';
import { equalSets } from '../../src/apimachinery/field-set/field-set.ts';
import { readFieldsV1, writeFieldsV1 } from '../../src/apimachinery/field-set/fields-v1.ts';
import { decodeManagedFields } from '../../src/apimachinery/managed-fields/decode-managed-fields.ts';
import { encodeManagedFields } from '../../src/apimachinery/managed-fields/encode-managed-fields.ts';
import { type ApplyOutcome, FieldManager } from '../../src/apimachinery/managed-fields/field-manager.ts';
import { newObjectOf } from '../../src/apimachinery/managed-fields/new-object.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { readJson } from '../../src/base/json-read.ts';
import { cloneJson, equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { isPromise, type MaybePromise } from '../../src/base/maybe-promise.ts';
import { kindView } from '../../src/kinds/views.ts';
import { mutateTree, randomOf } from './mutate-tree.ts';
import type { Random } from './random.ts';
import type { FuzzTarget } from './targets.ts';

const FIELDS =
  '{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{},"f:containers":{"k:{\\"name\\":\\"a\\",\\"port\\":80}":{".":{},"f:image":{}}},"f:finalizers":{"v:\\"x\\"":{},"v:1":{},"i:3":{}}}}';
const FIELD_WORDS = ['"f:', '"k:{\\"a\\":1}"', '"v:null"', '"v:[]"', '"i:-1"', '".":{}', '{}', 'null', '"k:"', '"x:"'];
const ENTRY = `{"manager":"m","operation":"Apply","apiVersion":"apps/v1","time":"2026-01-02T15:04:05Z","fieldsType":"FieldsV1","fieldsV1":${FIELDS}}`;
const UPDATE = ENTRY.replace('"Apply"', '"Update","subresource":"status"');

const KIND = { group: 'apps', version: 'v1', kind: 'Deployment' } as const;
const view = kindView(KIND.group, KIND.version, KIND.kind);
const deployments = new FieldManager({
  kind: KIND,
  versions: {
    typeAt: (apiVersion) => (apiVersion === 'apps/v1' ? mergeTypeOf(view) : undefined),
    convert: (object) => object,
  },
  newObject: () => newObjectOf(view, KIND),
});
/** The input that stands for the configuration without mutations. */
const AS_IT_IS = 'as it is';
const NOW = '2026-01-02T15:04:05Z';

const CONFIG = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, finalizers: [a.example/b]}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx, ports: [{containerPort: 80}, {containerPort: 443, protocol: UDP}]}
      - {name: side, env: [{name: A, value: a}]}
`;

/** The object that configurations are applied to: one manager applied a part of it. */
const LIVE = applied(
  undefined,
  'owner',
  configOf(CONFIG.replace('replicas: 2', 'replicas: 3').replace(/ {6}- .name: side.*\n/, '')),
);

function configOf(text: string): JsonObject {
  const read = decodeStrictYaml(Buffer.from(text), { fieldValidation: 'Ignore' });
  if (!read.ok || !isJsonObject(read.value)) throw new Error('the corpus is not an object');
  return read.value;
}

function applied(live: JsonObject | undefined, manager: string, config: JsonObject): JsonObject {
  const outcome = now(deployments.apply(live, config, { manager, force: true, now: NOW }));
  if (!outcome.ok) throw new Error(outcome.status.message);
  return outcome.object;
}

function now(outcome: MaybePromise<ApplyOutcome>): ApplyOutcome {
  if (isPromise(outcome)) throw new Error('an apply without conversions takes no time');
  return outcome;
}

/** Applies by force, and again: the second apply must change nothing. The live object must stay as it is. */
function runApply(config: JsonObject, live = LIVE): boolean {
  const before = cloneJson(live);
  const context = { manager: 'fuzz', force: true, now: NOW };
  const first = now(deployments.apply(live, config, context));
  if (!equalJson(live, before)) throw new Error('an apply changed the live object');
  if (!first.ok) {
    if (first.status.message === '') throw new Error('a refusal without a message');
    return false;
  }
  const again = now(deployments.apply(first.object, config, context));
  if (!again.ok || !equalJson(again.object, first.object)) throw new Error('a second apply changes the object');
  return true;
}

/** Parts that mutations may add anywhere, and values that may replace any part. */
const PARTS: readonly (readonly [name: string, value: JsonValue])[] = [
  ['name', 'web'],
  ['name', 'side'],
  ['containerPort', 80],
  ['labels', { app: 'x' }],
  ['env', [{ name: 'A' }, { name: 'A', value: 'b' }]],
  ['finalizers', ['a.example/b', 'a.example/b']],
  ['replicas', 5],
  ['volumes', [{ name: 'v', emptyDir: {} }]],
];
const VALUES: readonly JsonValue[] = [null, {}, [], 'web', 1, true, [null], [{ name: 'web' }, { name: 'web' }]];

/** Applies mutated configurations of three managers, the second without force. */
function runTrees(random: Random): boolean {
  const config = configOf(CONFIG);
  const mutated = (): JsonObject => ({
    ...mutateTree(config, random, PARTS, VALUES),
    apiVersion: 'apps/v1',
    kind: KIND.kind,
  });
  let live = LIVE;
  for (const [manager, force] of [
    ['one', true],
    ['two', false],
  ] as const) {
    const outcome = now(deployments.apply(live, mutated(), { manager, force, now: NOW }));
    if (outcome.ok) live = outcome.object;
  }
  return runApply(mutated(), live);
}

export const applyTargets: readonly FuzzTarget[] = [
  {
    name: 'fields-v1',
    corpus: [FIELDS],
    words: FIELD_WORDS,
    run(input) {
      const json = readJson(input);
      const read = json.ok ? readFieldsV1(json.value) : { ok: false as const };
      if (!read.ok) return false;
      const again = readFieldsV1(writeFieldsV1(read.set));
      if (!again.ok || !equalSets(again.set, read.set)) throw new Error('a set is not the same after a round trip');
      return true;
    },
  },
  {
    name: 'managed-fields',
    corpus: [`[${ENTRY},${UPDATE}]`],
    words: [...FIELD_WORDS, '"operation":"Update"', '"subresource":"scale"', '"time":null', ENTRY],
    run(input) {
      const json = readJson(input);
      const read = json.ok ? decodeManagedFields(json.value, 'request') : { ok: false as const };
      if (!read.ok) return false;
      const entries = encodeManagedFields(read.managed);
      const again = decodeManagedFields(entries, 'request');
      const same = again.ok && equalJson((encodeManagedFields(again.managed) ?? null) as JsonValue, entries ?? null);
      if (!same) throw new Error('entries are not the same after a round trip');
      return true;
    },
  },
  {
    name: 'apply',
    corpus: [CONFIG],
    words: [
      'null',
      '{}',
      '[]',
      'name: web',
      '- {name: web}',
      'containerPort: 80',
      'replicas:',
      'image:',
      '"": 1',
      'managedFields: []',
    ],
    stepsPerInput: 60_000,
    run(input) {
      const read = decodeStrictYaml(input, { fieldValidation: 'Ignore' });
      return read.ok && isJsonObject(read.value) && runApply(read.value);
    },
  },
  {
    name: 'apply-trees',
    corpus: [AS_IT_IS],
    words: ['a', 'b', '1', '2'],
    stepsPerByte: 5000,
    stepsPerInput: 200_000,
    // The bytes of the input seed the mutations of the configurations.
    run: (input) => (decodeUtf8(input) === AS_IT_IS ? runApply(configOf(CONFIG)) : runTrees(randomOf(input))),
  },
];
