/** Addresses that a Service cannot lead this server to, whatever an APIService or a webhook names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Plane, startPlane } from '../loops/plane.fixtures.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane.plane.stop());

async function request(method: string, target: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await plane.plane.transport({
    method,
    target,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: Buffer.from(JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  if (response.body instanceof Uint8Array) chunks.push(response.body);
  else for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, text: Buffer.concat(chunks).toString() };
}

describe('an endpoint of a Service', () => {
  it.each([
    ['IPv4', '127.0.0.1', 'may not be in the loopback range'],
    ['IPv4', '169.254.169.254', 'may not be in the link-local range'],
    ['IPv4', '0.0.0.0', 'may not be unspecified'],
    ['IPv6', '::1', 'may not be in the loopback range'],
    ['IPv6', 'fe80::1', 'may not be in the link-local range'],
  ])('cannot be the %s address %s', async (addressType, address, message) => {
    const slice = {
      metadata: { name: 'a' },
      addressType,
      endpoints: [{ addresses: [address] }],
      ports: [{ port: 443 }],
    };
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const { status, text } = await request('POST', path, slice);
    expect([status, text]).toEqual([422, expect.stringContaining(message)]);
    const subsets = [{ addresses: [{ ip: address }], ports: [{ port: 443 }] }];
    const endpoints = { metadata: { name: 'a' }, subsets };
    expect(await request('POST', '/api/v1/namespaces/default/endpoints', endpoints)).toMatchObject({ status: 422 });
  });

  it('is not reached through the subresource proxy of a Service, a Pod or a Node', async () => {
    for (const path of [
      'namespaces/default/services/kubernetes/proxy',
      'namespaces/default/pods/x/proxy',
      'nodes/x/proxy',
    ])
      expect(await request('GET', `/api/v1/${path}/latest/meta-data`)).toMatchObject({ status: 404 });
  });
});
