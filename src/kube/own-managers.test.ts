import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json-value.ts';
import { at } from './groups/workloads.fixtures.ts';
import { startTestKube, type TestKube } from './kube-server.fixtures.ts';

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

/** Returns the managers of an object as `manager operation subresource`. */
function managersOf(object: JsonObject): string {
  const entries = (at(object, 'metadata', 'managedFields') ?? []) as JsonObject[];
  return entries
    .map(({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`.trim())
    .join('; ');
}

describe('objects of the bootstrap', () => {
  // The managers that kube-apiserver 1.36.3 writes.
  test.each([
    ['/api/v1/namespaces', ['kube-apiserver Update']],
    ['/api/v1/services', ['kube-apiserver Update']],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', ['kube-apiserver Update']],
    ['/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', ['kube-apiserver Update']],
    ['/apis/rbac.authorization.k8s.io/v1/roles', ['kube-apiserver Update']],
    ['/apis/scheduling.k8s.io/v1/priorityclasses', ['kube-apiserver Update']],
    ['/apis/networking.k8s.io/v1/ipaddresses', ['kube-apiserver Update']],
    [
      '/apis/networking.k8s.io/v1/servicecidrs',
      ['kubernetes-service-cidr-controller Apply status; kube-apiserver Update'],
    ],
    [
      '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
      ['api-priority-and-fairness-config-producer-v1 Update'],
    ],
    [
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      [
        'api-priority-and-fairness-config-consumer-v1 Apply status; api-priority-and-fairness-config-producer-v1 Update',
      ],
    ],
  ])('%s belong to the managers of the reference', async (path, expected) => {
    const { body } = await kube.request('GET', path);
    expect([...new Set((body['items'] as JsonObject[]).map(managersOf))]).toEqual(expected);
  });
});

test('a cluster IP that the server allocates has no owner', async () => {
  const service = { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
  const { body } = await kube.request('POST', '/api/v1/namespaces/default/services?fieldManager=me', service);
  expect(at(body, 'spec', 'clusterIP')).toMatch(/^10\./);
  const [entry] = at(body, 'metadata', 'managedFields') as JsonObject[];
  expect(entry?.['manager']).toBe('me');
  expect(at(entry as JsonObject, 'fieldsV1', 'f:spec')).toMatchObject({ 'f:ports': {} });
  expect(at(entry as JsonObject, 'fieldsV1', 'f:spec')).not.toHaveProperty('f:clusterIP');
});
