import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../base/json-value.ts';
import { defaultServiceNetwork, parseServiceRanges, type ServiceNetwork } from '../../../bootstrap/service-network.ts';
import { startTestKube, type TestKube } from '../../../kube-server.fixtures.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

function service(name: string, spec: JsonObject = {}): JsonObject {
  return { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

function network(ranges: string): ServiceNetwork {
  return { ...defaultServiceNetwork(), ranges: parseServiceRanges(ranges) };
}

describe('Services', () => {
  let kube: TestKube;
  beforeEach(async () => {
    kube = await startTestKube();
  });
  afterEach(() => kube.stop());

  const create = (name: string, spec?: JsonObject, query = '') =>
    kube.request('POST', SERVICES + query, service(name, spec));
  const specOf = async (name: string) => (await kube.request('GET', `${SERVICES}/${name}`)).body['spec'] as JsonObject;
  const addresses = async () =>
    ((await kube.request('GET', ADDRESSES)).body['items'] as { metadata: { name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );

  test('get an address of the upper band, and an IPAddress that refers to the Service', async () => {
    const { status, body } = await create('web');
    expect(status).toBe(201);
    const spec = body['spec'] as JsonObject & { clusterIP: string };
    expect(Number(spec.clusterIP.split('.')[3])).toBeGreaterThanOrEqual(17);
    expect(spec).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      clusterIP: spec.clusterIP,
      clusterIPs: [spec.clusterIP],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    });
    expect((await kube.request('GET', `${ADDRESSES}/${spec.clusterIP}`)).body).toMatchObject({
      metadata: {
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
    });
  });

  test('never share an address, even if many are created at once', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => create(`s${i}`)));
    const ips = answers.map(({ body }) => (body['spec'] as JsonObject)['clusterIP']);
    expect(new Set(ips).size).toBe(60);
  });

  test('are refused for an allocated address or one outside of the range, without leaving an IPAddress', async () => {
    const before = await addresses();
    const taken = await create('a', { clusterIP: '10.0.0.1' });
    expect(taken.status).toBe(422);
    expect(taken.body['message']).toBe(
      'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated',
    );
    const outside = await create('a', { clusterIP: '10.0.1.1' });
    expect(outside.body['message']).toContain(
      'failed to allocate IP 10.0.1.1: the provided network does not match the current range',
    );
    expect((await create('a', { ports: [{ port: 0 }] })).status).toBe(422);
    expect((await create('kubernetes')).status).toBe(409);
    expect(await addresses()).toEqual(before);
  });

  test('release their address on delete, on deletecollection, and with their last finalizer', async () => {
    const before = await addresses();
    for (const name of ['a', 'b', 'c'])
      await kube.request('POST', SERVICES, {
        metadata: { name, labels: { mine: 'yes' }, finalizers: name === 'c' ? ['example.com/hold'] : [] },
        spec: { ports: [{ port: 80 }] },
      });
    const { clusterIP } = await specOf('a');
    await kube.request('DELETE', `${SERVICES}/a?dryRun=All`);
    expect(await addresses()).toHaveLength(before.length + 3);
    await kube.request('DELETE', `${SERVICES}/a`);
    expect((await create('a2', { clusterIP: clusterIP as string })).status).toBe(201);
    await kube.request('DELETE', `${SERVICES}/a2`);
    await kube.request('DELETE', `${SERVICES}?labelSelector=mine=yes`);
    expect(await addresses()).toHaveLength(before.length + 1);
    await kube.request('PATCH', `${SERVICES}/c/status`, { metadata: { finalizers: null } });
    expect(await addresses()).toEqual(before);
  });

  test('do not release an address that another Service has', async () => {
    await create('a');
    const { clusterIP } = await specOf('a');
    await kube.request('DELETE', `${ADDRESSES}/${clusterIP}`);
    await kube.request('POST', ADDRESSES, {
      metadata: { name: clusterIP as string },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'b' } },
    });
    expect((await kube.request('DELETE', `${SERVICES}/a`)).status).toBe(200);
    expect(await addresses()).toContain(clusterIP);
  });

  test('keep allocated values on a repeated apply, and lose them when the type changes', async () => {
    await create('np', { type: 'NodePort' });
    const first = await specOf('np');
    await kube.request('PUT', `${SERVICES}/np`, service('np', { type: 'NodePort', selector: { a: 'b' } }));
    expect(await specOf('np')).toEqual({ ...first, selector: { a: 'b' } });
    const external = await kube.request('PATCH', `${SERVICES}/np`, {
      spec: { type: 'ExternalName', externalName: 'example.com' },
    });
    expect(external.body['spec']).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      selector: { a: 'b' },
      type: 'ExternalName',
      sessionAffinity: 'None',
      externalName: 'example.com',
    });
    expect(await addresses()).toEqual(['10.0.0.1']);
    const again = await kube.request('PATCH', `${SERVICES}/np`, { spec: { type: 'ClusterIP', externalName: null } });
    expect(again.body['spec']).toMatchObject({ clusterIP: expect.stringContaining('10.0.0.') });
  });

  test('cannot change their address', async () => {
    await create('a');
    const { status, body } = await kube.request('PATCH', `${SERVICES}/a`, { spec: { clusterIP: '10.0.0.9' } });
    expect(status).toBe(422);
    expect(body['message']).toContain('spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set');
  });

  test('can be headless with families that the cluster does not have', async () => {
    expect((await create('h', { clusterIP: 'None' })).body['spec']).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
    const { body } = await create('h2', { clusterIP: 'None', selector: { a: 'b' } });
    expect(body['spec']).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    const refused = await create('d', { ipFamilyPolicy: 'RequireDualStack' });
    expect(refused.body['message']).toContain('this cluster is not configured for dual-stack services');
  });

  test('get no allocation in a dry run', async () => {
    const { status, body } = await create('dry', { type: 'NodePort' }, '?dryRun=All');
    expect(status).toBe(201);
    expect(body['spec']).toMatchObject({ clusterIP: '10.0.0.0', ports: [{ nodePort: 32769 }] });
    expect(await addresses()).toEqual(['10.0.0.1']);
  });

  test('get node ports of the upper band, shared by the protocols of one port', async () => {
    const ports = [
      { name: 'tcp', port: 53 },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ];
    const { body } = await create('dns', { type: 'NodePort', ports });
    const [tcp, udp] = (body['spec'] as { ports: { nodePort: number }[] }).ports;
    expect(tcp?.nodePort).toBeGreaterThanOrEqual(30086);
    expect(udp?.nodePort).toBe(tcp?.nodePort);
    const taken = await create('x', { type: 'NodePort', ports: [{ port: 1, nodePort: tcp?.nodePort as number }] });
    expect(taken.body['message']).toContain('nodePort: Invalid value: ');
    expect(taken.body['message']).toContain('provided port is already allocated');
    const outside = await create('x', { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] });
    expect(outside.body['message']).toContain(
      'provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
    expect(await addresses()).toHaveLength(2);
  });

  test('have correct IPAddresses after a crash of the server', async () => {
    await create('kept');
    const { clusterIP } = await specOf('kept');
    await kube.request('DELETE', `${ADDRESSES}/${clusterIP}`);
    await kube.request('POST', ADDRESSES, {
      metadata: { name: '10.0.0.99', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'never-stored' } },
    });
    await kube.stop();
    await kube.clock.advance(61_000);
    kube = await startTestKube({}, kube.host);
    const next = await create('next', { clusterIP: '10.0.0.99' });
    expect(next.status).toBe(201);
    expect(await addresses()).toEqual(expect.arrayContaining([clusterIP, '10.0.0.99']));
  });

  test('of type LoadBalancer get a health check port if the traffic policy is Local', async () => {
    const { body } = await create('lb', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    const spec = body['spec'] as { healthCheckNodePort: number; allocateLoadBalancerNodePorts: boolean };
    expect(spec.healthCheckNodePort).toBeGreaterThanOrEqual(30086);
    expect(spec.allocateLoadBalancerNodePorts).toBe(true);
  });

  test('never share a node port, even if many are created at once, also after a restart', async () => {
    const make = (prefix: string) =>
      Promise.all(Array.from({ length: 20 }, (_, i) => create(`${prefix}${i}`, { type: 'NodePort' })));
    const first = await make('a');
    await kube.stop();
    kube = await startTestKube({}, kube.host);
    const ports = [...first, ...(await make('b'))].map(
      ({ body }) => (body['spec'] as { ports: { nodePort: number }[] }).ports[0]?.nodePort,
    );
    expect(new Set(ports).size).toBe(40);
  });
});

describe('Services in a dual-stack cluster', () => {
  let kube: TestKube;
  beforeEach(async () => {
    kube = await startTestKube({ network: network('10.0.0.0/24,fd00::/108') });
  });
  afterEach(() => kube.stop());

  test('get an address of each family on request, and release the second one', async () => {
    const { body } = await kube.request('POST', SERVICES, service('dual', { ipFamilyPolicy: 'PreferDualStack' }));
    const spec = body['spec'] as { clusterIPs: string[] };
    expect(spec).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'] });
    expect(spec.clusterIPs[1]).toMatch(/^fd00::/);
    const single = await kube.request('PATCH', `${SERVICES}/dual`, { spec: { ipFamilyPolicy: 'SingleStack' } });
    expect(single.body['spec']).toMatchObject({ clusterIPs: [spec.clusterIPs[0]], ipFamilies: ['IPv4'] });
    expect((await kube.request('GET', `${ADDRESSES}/${spec.clusterIPs[1]}`)).status).toBe(404);
  });
});
