import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { startTestExtensions, type TestAnswer, type TestExtensions } from '../apiextensions.fixtures.ts';

const GROUP = 'boats.test';
const text: JsonObject = { type: 'string' };
const boats = (version: string): string => `/apis/${GROUP}/${version}/boats/a`;

/** Two versions without a conversion. Each declares a field that the other does not. */
async function start(): Promise<TestExtensions> {
  const extensions = await startTestExtensions();
  const version = (name: string, own: string): JsonObject => ({
    name,
    served: true,
    storage: name === 'v1',
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { name: text, [own]: text, any: { 'x-kubernetes-preserve-unknown-fields': true } },
          },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  });
  await extensions.define({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `boats.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
      versions: [version('v1', 'first'), version('v2', 'second')],
    },
  });
  return extensions;
}

const headers = { 'content-type': 'application/apply-patch+yaml' };

function apply({ request }: TestExtensions, version: string, manager: string, spec: JsonObject): Promise<TestAnswer> {
  const body: JsonObject = { apiVersion: `${GROUP}/${version}`, kind: 'Boat', metadata: { name: 'a' }, spec };
  return request('PATCH', `${boats(version)}?fieldManager=${manager}`, body, headers);
}

function managersOf({ body }: TestAnswer): JsonValue[] {
  const { managedFields = [] } = body['metadata'] as { managedFields?: JsonObject[] };
  return managedFields.map(({ manager }) => manager as JsonValue);
}

describe('managedFields of custom resources', () => {
  it('are kept by an empty list and forgotten with a single empty entry', async () => {
    const extensions = await start();
    await apply(extensions, 'v1', 'one', { name: 'x' });
    const patch = (managedFields: JsonValue): Promise<TestAnswer> =>
      extensions.request('PATCH', boats('v1'), { metadata: { managedFields } });
    expect(managersOf(await patch([]))).toEqual(['one']);
    expect(managersOf(await patch([{}]))).toEqual([]);
  });

  it('are dropped by an update with a field that the version of a manager does not declare', async () => {
    const extensions = await start();
    await apply(extensions, 'v2', 'one', { name: 'x' });
    const updated = await extensions.request('PATCH', boats('v1'), { spec: { first: 'y' } });
    expect(updated.body['spec']).toEqual({ name: 'x', first: 'y' });
    expect(managersOf(updated)).toEqual([]);
  });
});

describe('an apply to a custom resource', () => {
  it('fails rather than lose a field that the version of a manager does not declare', async () => {
    const extensions = await start();
    await apply(extensions, 'v2', 'one', { name: 'x' });
    const refused = await apply(extensions, 'v1', 'two', { first: 'y' });
    expect(refused.status).toBe(500);
    expect(refused.body['message']).toBe('failed to convert new object: .spec.first: field not declared in schema');
    const pruned = await apply(extensions, 'v1', 'one', { first: 'y' });
    expect(pruned.body['message']).toBe(
      'failed to prune fields: failed to convert merged object to last applied version: .spec.first: field not declared in schema',
    );
  });

  it('owns a null that validation accepts and does not store it', async () => {
    const extensions = await start();
    await apply(extensions, 'v1', 'one', { name: 'x' });
    await extensions.request('PATCH', `${boats('v1')}/status`, { status: { seen: true } });
    const { body } = await apply(extensions, 'v1', 'two', { any: null });
    expect(body['spec']).toEqual({ name: 'x' });
    expect(managersOf({ body, status: 200, warnings: [] })).toContain('two');
  });
});
