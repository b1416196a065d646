/** The custom resource of the sequences: two versions whose schema has every kind of list and map. */
import type { JsonObject, JsonValue } from '../../src/base/json-value.ts';

export const GROUP = 'compat.example';
export const KIND = 'Sample';

const text = { type: 'string' };
const count = { type: 'integer' };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const KEEP = { 'x-kubernetes-preserve-unknown-fields': true };

function spec(counter: string): JsonObject {
  return object({
    [counter]: count,
    text,
    port: { 'x-kubernetes-int-or-string': true },
    when: { type: 'string', format: 'date-time' },
    point: object({ x: count, y: count }, { 'x-kubernetes-map-type': 'atomic' }),
    labels: { type: 'object', additionalProperties: text },
    whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
    list: list(text),
    set: list(text, { 'x-kubernetes-list-type': 'set' }),
    numbers: list(count, { 'x-kubernetes-list-type': 'set' }),
    items: list(object({ name: text, value: count, nested: object({ a: text, b: text }) }), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    ports: list(object({ port: count, protocol: { ...text, default: 'TCP' }, name: text }), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    }),
    free: { type: 'object', ...KEEP },
    kept: object({ known: text, inner: object({ deep: text }) }, KEEP),
    anything: KEEP,
    empty: { type: 'object' },
    template: object({ spec: object({ text }) }, { 'x-kubernetes-embedded-resource': true }),
  });
}

function version(name: string, counter: string): JsonObject {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: object({
        spec: spec(counter),
        status: object({
          phase: text,
          conditions: list(object({ type: text, status: text }), {
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['type'],
          }),
        }),
      }),
    },
    subresources: { status: {} },
  };
}

const VERSIONS = [version('v1', 'size'), version('v2', 'count')];

export const DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `samples.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'samples', singular: 'sample', kind: KIND, listKind: `${KIND}List` },
    versions: VERSIONS,
  },
};

/** The schema of each version, by name. */
export const SCHEMAS: ReadonlyMap<string, JsonObject> = new Map(
  VERSIONS.map((item) => [
    item['name'] as string,
    (item['schema'] as Record<string, JsonValue>)['openAPIV3Schema'] as JsonObject,
  ]),
);
