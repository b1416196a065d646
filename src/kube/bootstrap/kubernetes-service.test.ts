import { afterEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createCa } from '../../pki/certificates.ts';
import { startTestKube, type TestKube } from '../kube-server.fixtures.ts';
import { serverId } from './identity-lease.ts';
import { defaultServiceNetwork, parseServiceRanges, type ServerIdentity } from './service-network.ts';

const SELF: ServerIdentity = {
  hostname: 'vm',
  address: '192.0.2.7',
  port: 6443,
  nodePort: 0,
  writesEndpoints: true,
};
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/apiserver-wlv32tlttr4jl3gtroqexyxapa';
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';

describe('a server with an address', () => {
  let kube: TestKube;
  afterEach(() => kube.stop());
  const start = (self: Partial<ServerIdentity> = {}, host?: TestKube['host']) =>
    startTestKube({ network: { ...defaultServiceNetwork(), self: () => ({ ...SELF, ...self }) } }, host);

  test('has a Service with the first address of its range', async () => {
    kube = await start();
    const service = await kube.request('GET', '/api/v1/namespaces/default/services/kubernetes');
    expect(service.body).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    });
    const address = await kube.request('GET', '/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1');
    expect(address.body).toMatchObject({ spec: { parentRef: { namespace: 'default', name: 'kubernetes' } } });
    const network = await kube.request('GET', '/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    expect(network.body).toMatchObject({
      spec: { cidrs: ['10.0.0.0/24'] },
      status: { conditions: [{ type: 'Ready', status: 'True', message: 'Kubernetes default Service CIDR is ready' }] },
    });
  });

  test('writes its endpoints, and updates them when its address changes', async () => {
    kube = await start();
    expect((await kube.request('GET', SLICE)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    });
    await kube.stop();
    kube = await start({ address: '192.0.2.8', port: 7443 }, kube.host);
    const endpoints = await kube.request('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
    expect(endpoints.body['subsets']).toEqual([
      { addresses: [{ ip: '192.0.2.8' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] },
    ]);
    expect((await kube.request('GET', SLICE)).body).toMatchObject({
      metadata: { generation: 2 },
      endpoints: [{ addresses: ['192.0.2.8'] }],
    });
  });

  test.each([{ address: '127.0.0.1' }, { writesEndpoints: false }])('writes no endpoints if %j', async (self) => {
    kube = await start(self);
    expect((await kube.request('GET', SLICE)).status).toBe(404);
  });

  test('renews its Lease, and deletes it at shutdown', async () => {
    expect(`apiserver-${serverId('vm').split('-')[1]}`).toBe(LEASE.split('/').at(-1));
    kube = await start();
    const lease = async () => (await kube.request('GET', LEASE)).body;
    const before = (await lease())['spec'] as { renewTime: string };
    expect(await lease()).toMatchObject({
      metadata: {
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'vm' },
        annotations: { 'kubernetes.io/peer-advertise-address': '192.0.2.7:6443' },
      },
      spec: { leaseDurationSeconds: 3600, holderIdentity: expect.stringMatching(/^apiserver-wlv32[a-z0-9]+_/) },
    });
    await kube.clock.advance(10_000);
    expect(((await lease())['spec'] as { renewTime: string }).renewTime > before.renewTime).toBe(true);
    const { host } = kube;
    await kube.stop();
    kube = await startTestKube({}, host);
    expect((await kube.request('GET', LEASE)).status).toBe(404);
  });
});

describe('an own object', () => {
  test('is created again after a client deletes it', async () => {
    const kube = await startTestKube({ network: { ...defaultServiceNetwork(), self: () => SELF } });
    const path = '/api/v1/namespaces/default/services/kubernetes';
    expect((await kube.request('DELETE', path)).status).toBe(200);
    expect((await kube.request('GET', path)).status).toBe(404);
    await kube.clock.advance(10_000);
    expect((await kube.request('GET', path)).body).toMatchObject({ spec: { clusterIP: '10.0.0.1' } });
    expect((await kube.request('GET', '/api/v1/namespaces/default/endpoints/kubernetes')).status).toBe(200);
    await kube.stop();
  });
});

describe('the ConfigMap for extension servers', () => {
  test('is completed again after it was edited or deleted, and follows new certificates', async () => {
    const clock = new VirtualClock();
    const [first, second] = await Promise.all([1, 2].map((n) => createCa({ commonName: `ca ${n}`, clock })));
    let clientCaPem = first?.certificatePem ?? '';
    const kube = await startTestKube({
      network: { ...defaultServiceNetwork(), self: () => SELF },
      trust: () => ({ clientCaPem, requestHeader: undefined }),
    });
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const data = async (): Promise<unknown> => (await kube.request('GET', path)).body['data'];
    await kube.request('PATCH', path, { data: { 'client-ca-file': null } });
    expect(await data()).toBeUndefined();
    await kube.clock.advance(10_000);
    expect(await data()).toEqual({ 'client-ca-file': clientCaPem });
    await kube.request('DELETE', path);
    clientCaPem = second?.certificatePem ?? '';
    await kube.clock.advance(10_000);
    expect(await data()).toEqual({ 'client-ca-file': second?.certificatePem });
    await kube.stop();
  });
});

describe('the ranges of Services', () => {
  test('are one CIDR, or one per family', () => {
    expect(parseServiceRanges('10.0.0.0/16,fd00::/108').map(({ family }) => family)).toEqual(['IPv4', 'IPv6']);
    expect(() => parseServiceRanges('10.0.0.0/16,10.1.0.0/16')).toThrow('one IPv4 and one IPv6 CIDR');
    expect(() => parseServiceRanges('10.0.0.0')).toThrow('"10.0.0.0" is not a CIDR for Services');
  });
});
