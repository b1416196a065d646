import { afterEach, expect, test } from 'vitest';
import { createServiceResolver } from '../../server/http/service-resolver.ts';
import { startTestKube, type TestKube } from '../kube-server.fixtures.ts';

let kube: TestKube;
afterEach(() => kube.stop());

test('a Service is reached through the EndpointSlices that name it', async () => {
  kube = await startTestKube();
  await kube.request('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'hook' },
    spec: { ports: [{ name: 'https', port: 443 }] },
  });
  const services = createServiceResolver({ objects: kube.server.services, random: () => 0 });
  expect(await services.resolve('default', 'hook', 443)).toEqual({
    host: expect.stringMatching(/^10\.0\.0\./),
    port: 443,
  });
  const slice = (name: string, service: string, address: string) =>
    kube.request('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name, labels: { 'kubernetes.io/service-name': service } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address] }],
      ports: [{ name: 'https', port: 8443 }],
    });
  await slice('a', 'other', '192.0.2.1');
  await slice('b', 'hook', '192.0.2.2');
  expect(await services.resolve('default', 'hook', 443)).toEqual({ host: '192.0.2.2', port: 8443 });
  await kube.request('PUT', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/b', {
    metadata: { name: 'b', labels: { 'kubernetes.io/service-name': 'other' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.2'] }],
    ports: [{ name: 'https', port: 8443 }],
  });
  await slice('c', 'hook', '192.0.2.3');
  expect(await services.resolve('default', 'hook', 443)).toEqual({ host: '192.0.2.3', port: 8443 });
  await kube.request('DELETE', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/c');
  expect(await services.resolve('default', 'hook', 443)).toMatchObject({ port: 443 });
  await expect((async () => services.resolve('default', 'none', 443))()).rejects.toThrow('service "none" not found');
});

test('a Service counts as soon as its write is answered, without a read of the storage', async () => {
  kube = await startTestKube();
  const services = '/api/v1/namespaces/default/services';
  const name = (text: string) => ({
    metadata: { name: 'external' },
    spec: { type: 'ExternalName', externalName: text },
  });
  const resolver = createServiceResolver({ objects: kube.server.services, random: () => 0 });
  await kube.request('POST', services, name('one.example.com'));
  expect(await resolver.resolve('default', 'external', 443)).toEqual({ host: 'one.example.com', port: 443 });
  await kube.request('PUT', `${services}/external`, name('two.example.com'));
  // The lister has started: the answer is not a promise.
  expect(resolver.resolve('default', 'external', 443)).toEqual({ host: 'two.example.com', port: 443 });
  await kube.request('DELETE', `${services}/external`);
  expect(() => resolver.resolve('default', 'external', 443)).toThrow('service "external" not found');
});
