import { describe, expect, it } from 'vitest';
import type { ListView, MapView, StructView } from '../apimachinery/type-view.ts';
import type { JsonObject } from '../base/json-value.ts';
import { openapiV2, openapiV3 } from './published-schema.ts';
import { compiled, objectMeta, parsed } from './schema.fixtures.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } },
    spec: {
      type: 'object',
      required: ['port', 'gone'],
      properties: {
        port: { 'x-kubernetes-int-or-string': true, default: 80 },
        gone: { type: 'array', nullable: true, items: { type: 'string' } },
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' } } },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        map: { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
      },
      oneOf: [{ required: ['port'] }],
    },
  },
};

describe('the view of a schema', () => {
  const { view } = compiled(schema);
  const spec = view.field('spec')?.type as StructView;

  it('gives metadata the type ObjectMeta, in embedded resources too', () => {
    expect(view.field('metadata')?.type).toBe(objectMeta);
    const pod = spec.field('pod')?.type as StructView;
    expect(pod.field('metadata')?.type).toBe(objectMeta);
  });

  it('contains list keys, maps, untyped parts, defaults, nullable and required fields', () => {
    expect(spec.field('list')?.type as ListView).toMatchObject({ listType: 'map', mapKeys: ['name'], declared: true });
    const map = spec.field('map')?.type as MapView;
    expect(map.values).toEqual({ kind: 'scalar', scalar: 'int32' });
    expect(spec.field('free')?.type).toEqual({ kind: 'any', raw: 'json', objectsOnly: true });
    expect(spec.field('port')).toMatchObject({ type: { scalar: 'int-or-string' }, defaultValue: 80, required: true });
    expect(spec.field('gone')?.nullable).toBe(true);
    expect(spec.field('other')).toBeUndefined();
  });

  it('preserves unknown fields if the definition says so', () => {
    expect(compiled(schema, { preserveUnknownFields: true }).view.preserveUnknown).toBe(true);
  });
});

describe('the published schema', () => {
  const at = (published: JsonObject, ...names: readonly string[]): JsonObject =>
    names.reduce((node, name) => (node['properties'] as JsonObject)[name] as JsonObject, published);

  it('contains everything in v3, and metadata by reference', () => {
    const published = openapiV3(parsed(schema));
    expect(at(published, 'metadata')['allOf']).toEqual([
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
    expect(at(published, 'spec', 'port')).toEqual({
      'x-kubernetes-int-or-string': true,
      default: 80,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
    expect(at(published, 'spec', 'pod')['required']).toEqual(['kind', 'apiVersion']);
    expect(at(published, 'spec')['oneOf']).toEqual([{ required: ['port'] }]);
  });

  it('shares parts that are published unchanged', () => {
    const spec = (schema['properties'] as JsonObject)['spec'] as JsonObject;
    expect(at(openapiV3(parsed(schema)), 'spec', 'list')).toBe(at(spec, 'list'));
  });

  it('leaves out keywords in v2 that its clients do not understand', () => {
    const published = openapiV2(parsed(schema), false);
    expect(at(published, 'spec')).not.toHaveProperty('oneOf');
    expect(at(published, 'spec')['required']).toEqual(['port']);
    expect(at(published, 'spec', 'gone')).toEqual({});
    expect(at(published, 'spec', 'free')).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
    expect(at(published, 'spec', 'port')).toEqual({ 'x-kubernetes-int-or-string': true });
    expect(at(published, 'metadata')['$ref']).toBe('#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  });

  it('is only `type: object` if unknown fields are preserved or the schema is not structural', () => {
    expect(openapiV2(parsed(schema), true)).toEqual({ type: 'object' });
    expect(openapiV3(undefined)).toEqual({ type: 'object' });
  });
});
