import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { bytesOf, requestOf } from '../../server/http/requests.fixtures.ts';
import { gadgets, redefine, SPEC, startTestExtensions, type TestExtensions } from '../apiextensions.fixtures.ts';

function read({ openapi }: Pick<TestExtensions, 'openapi'>, path: string): JsonObject {
  return JSON.parse(decodeUtf8(bytesOf(openapi.handle(requestOf(path))).body)) as JsonObject;
}

/** The addresses of the documents, by name. */
function index(server: Pick<TestExtensions, 'openapi'>): Readonly<Record<string, string>> {
  const paths = read(server, '/openapi/v3')['paths'] as Record<string, { serverRelativeURL: string }>;
  return Object.fromEntries(Object.entries(paths).map(([name, { serverRelativeURL }]) => [name, serverRelativeURL]));
}

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const withSubresources = gadgets([{ more: { subresources: { status: {}, scale } } }]);

describe('OpenAPI of custom resources', () => {
  it('has their schema, their list and the paths of their verbs', async () => {
    const server = await startTestExtensions();
    await server.define(withSubresources);
    const document = read(server, '/openapi/v3/apis/example.test/v1');
    const { schemas } = document['components'] as { schemas: Record<string, JsonObject> };
    expect(schemas['test.example.v1.Gadget']).toMatchObject({
      type: 'object',
      properties: { apiVersion: { type: 'string' }, spec: SPEC },
      'x-kubernetes-group-version-kind': [{ group: 'example.test', kind: 'Gadget', version: 'v1' }],
    });
    expect(schemas['test.example.v1.GadgetList']).toMatchObject({
      required: ['items'],
      properties: { items: { items: { $ref: '#/components/schemas/test.example.v1.Gadget' } } },
      'x-kubernetes-group-version-kind': [{ group: 'example.test', kind: 'GadgetList', version: 'v1' }],
    });
    expect(Object.keys(schemas)).toContain('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
    const root = '/apis/example.test/v1';
    const paths = document['paths'] as Record<string, JsonObject>;
    const methods = Object.entries(paths).map(([path, item]) => [
      path,
      Object.keys(item).filter((name) => name !== 'parameters'),
    ]);
    expect(Object.fromEntries(methods)).toEqual({
      [`${root}/gadgets`]: ['get'],
      [`${root}/namespaces/{namespace}/gadgets`]: ['get', 'post', 'delete'],
      [`${root}/namespaces/{namespace}/gadgets/{name}`]: ['get', 'put', 'delete', 'patch'],
      [`${root}/namespaces/{namespace}/gadgets/{name}/scale`]: ['get', 'put', 'patch'],
      [`${root}/namespaces/{namespace}/gadgets/{name}/status`]: ['get', 'put', 'patch'],
    });
  });

  it('is part of the document of v2, without the fields that v2 does not have', async () => {
    const server = await startTestExtensions();
    const spec = { type: 'object', properties: { size: { type: 'integer', default: 7, nullable: true } } };
    await server.define(gadgets([{ properties: { spec } }]));
    const { definitions } = read(server, '/openapi/v2') as { definitions: Record<string, JsonObject> };
    expect(definitions['test.example.v1.Gadget']).toMatchObject({ properties: { spec: { properties: { size: {} } } } });
    expect(JSON.stringify(definitions['test.example.v1.Gadget'])).not.toMatch(/default|nullable/);
  });

  it('lists the selectable fields, in both versions', async () => {
    const server = await startTestExtensions();
    await server.define(gadgets([{ more: { selectableFields: [{ jsonPath: '.spec.color' }] } }]));
    const fields = { 'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.color' }] };
    const { schemas } = read(server, '/openapi/v3/apis/example.test/v1')['components'] as { schemas: JsonObject };
    expect(schemas['test.example.v1.Gadget']).toMatchObject(fields);
    const { definitions } = read(server, '/openapi/v2') as { definitions: JsonObject };
    expect(definitions['test.example.v1.Gadget']).toMatchObject(fields);
  });

  it('gets a new address when its definition changes; other addresses stay', async () => {
    const server = await startTestExtensions();
    await server.define(gadgets());
    await server.define({ ...gadgets([{}], { group: 'other.test' }), metadata: { name: 'gadgets.other.test' } });
    const before = index(server);
    await redefine(server, withSubresources);
    const after = index(server);
    expect(after['apis/example.test/v1']).not.toBe(before['apis/example.test/v1']);
    expect(after['apis/other.test/v1']).toBe(before['apis/other.test/v1']);
    const [group] = Object.keys(after).filter((name) => name === 'apis/example.test');
    expect(group).toBeUndefined();
  });

  it('has no fields for objects whose schema is not structural', async () => {
    const server = await startTestExtensions();
    await server.request('POST', '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.old.test' },
      spec: { group: 'old.test', version: 'v1', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
    });
    await settle();
    await server.request('GET', '/apis/old.test/v1/things');
    const { schemas } = read(server, '/openapi/v3/apis/old.test/v1')['components'] as {
      schemas: Record<string, JsonObject>;
    };
    expect(schemas['test.old.v1.Thing']).toMatchObject({ type: 'object' });
  });
});
