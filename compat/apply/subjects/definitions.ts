/**
 * The definitions of the custom kinds: every list type and map type, defaults, unknown fields that are kept, two
 * versions with different schemas, status and scale.
 */
import type { JsonObject } from '../../../src/base/json-value.ts';

export const GROUP = 'apply.example.com';

const text: JsonObject = { type: 'string' };
const count: JsonObject = { type: 'integer' };
const KEEP: JsonObject = { 'x-kubernetes-preserve-unknown-fields': true };
const SET: JsonObject = { 'x-kubernetes-list-type': 'set' };
const ATOMIC_MAP: JsonObject = { 'x-kubernetes-map-type': 'atomic' };

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

function list(items: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'array', items, ...more };
}

function mapOf(values: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', additionalProperties: values, ...more };
}

function keyedBy(...keys: readonly string[]): JsonObject {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] };
}

const item = object({ name: text, value: count, nested: object({ a: text, b: text }) }, { required: ['name'] });
const port = object({ port: count, protocol: { ...text, default: 'TCP' }, name: text }, { required: ['port'] });

const spec: JsonObject = {
  replicas: { ...count, default: 1, minimum: 0, maximum: 100 },
  text,
  nullable: { ...text, nullable: true },
  port: { 'x-kubernetes-int-or-string': true },
  when: { type: 'string', format: 'date-time' },
  point: object({ x: count, y: { ...count, default: 7 } }, ATOMIC_MAP),
  labels: mapOf(text),
  whole: mapOf(text, ATOMIC_MAP),
  list: list(text),
  atomics: list(object({ name: text, value: count }), { 'x-kubernetes-list-type': 'atomic' }),
  set: list(text, SET),
  numbers: list(count, SET),
  items: list(item, keyedBy('name')),
  ports: list(port, keyedBy('port', 'protocol')),
  lists: mapOf(list(text, SET)),
  groups: list(object({ name: text, members: list(item, keyedBy('name')) }, { required: ['name'] }), keyedBy('name')),
  free: { type: 'object', ...KEEP },
  kept: object({ known: text, inner: object({ deep: text }) }, KEEP),
  anything: KEEP,
  empty: { type: 'object' },
  template: object({ spec: object({ text }) }, { 'x-kubernetes-embedded-resource': true }),
  defaulted: object({ a: { ...text, default: 'a' }, b: text }, { default: {} }),
};

const status: JsonObject = object({
  phase: text,
  replicas: count,
  selector: text,
  conditions: list(object({ type: text, status: text, message: text }, { required: ['type'] }), keyedBy('type')),
});

interface Version {
  readonly name: string;
  readonly schema: JsonObject;
  readonly subresources?: JsonObject;
}

function definition(kind: string, versions: readonly Version[], scope: 'Namespaced' | 'Cluster'): JsonObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
      versions: versions.map(({ name, schema, subresources }, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: schema },
        ...(subresources === undefined ? {} : { subresources }),
      })),
    },
  };
}

const SUBRESOURCES: JsonObject = {
  status: {},
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
};

/** Version v2 has fewer fields, one more, and other types of lists. The conversion is None. */
const { lists: _lists, nullable: _nullable, ...kept } = spec;
const SECOND: JsonObject = {
  ...kept,
  items: list(item),
  list: list(text, SET),
  point: object({ x: count, y: count }),
  extra: text,
};

export const DEFINITIONS: readonly JsonObject[] = [
  definition(
    'Sample',
    [
      { name: 'v1', schema: object({ spec: object(spec), status }), subresources: SUBRESOURCES },
      { name: 'v2', schema: object({ spec: object(SECOND), status }), subresources: SUBRESOURCES },
    ],
    'Namespaced',
  ),
  definition('Loose', [{ name: 'v1', schema: { type: 'object', ...KEEP } }], 'Cluster'),
  definition(
    'Partial',
    [
      {
        name: 'v1',
        schema: object({
          spec: object({ set: list(text, SET), known: text }, KEEP),
          status: { type: 'object', ...KEEP },
        }),
        subresources: { status: {} },
      },
      { name: 'v2', schema: { type: 'object', ...KEEP }, subresources: { status: {} } },
    ],
    'Namespaced',
  ),
];
