import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { startTestKube, type TestKube } from '../../kube-server.fixtures.ts';

const NETWORKING = '/apis/networking.k8s.io/v1';
const DEFAULT = `${NETWORKING}/namespaces/default`;

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

/** The message of a rejected create, after the quoted name. */
async function refusal(path: string, object: JsonObject): Promise<string> {
  const named = { metadata: { name: 'x' }, ...object };
  const { body } = await kube.request('POST', `${path}?dryRun=All`, named);
  return body['status'] === 'Failure' ? String(body['message']).replace(/^.* is invalid: /, '') : '';
}

const backend = { service: { name: 'web', port: { number: 80 } } };
const rule = (path: JsonObject, host = 'a.example.com') => ({
  spec: { rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } }] },
});

describe('Ingress', () => {
  test.each<[JsonObject, string]>([
    [rule({}), ''],
    [rule({}, '*.example.com'), ''],
    [{}, 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    [rule({}, '10.0.0.1'), 'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
    [
      rule({ path: 'a//b/..' }),
      '[spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must be an absolute path, spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must not contain \'//\', spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": cannot end with \'/..\']',
    ],
    [
      rule({ path: 'a', pathType: 'ImplementationSpecific' }),
      'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
    ],
    [
      rule({ pathType: 'Odd' }),
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "Odd": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    [
      { spec: { defaultBackend: { service: { name: 'web' } } } },
      'spec.defaultBackend: Required value: port name or number is required',
    ],
    [
      { spec: { defaultBackend: { ...backend, resource: { kind: 'K', name: 'n' } } } },
      'spec.defaultBackend: Invalid value: "": cannot set both resource and service backends',
    ],
  ])('%j', async (object, text) => {
    expect(await refusal(`${DEFAULT}/ingresses`, object)).toBe(text);
  });

  test('warns about the deprecated class annotation', async () => {
    const { warnings } = await kube.request('POST', `${DEFAULT}/ingresses?dryRun=All`, {
      metadata: { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'a' } },
      spec: { defaultBackend: backend },
    });
    expect(warnings.join()).toContain('is deprecated');
  });
});

describe('IngressClass', () => {
  test.each<[JsonObject, string]>([
    [{ spec: { controller: 'example.com/c' } }, ''],
    [{ spec: {} }, 'spec.controller: Required value'],
    [
      { spec: { controller: 'example.com/c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } } },
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
    [
      { spec: { controller: 'example.com/c', parameters: { kind: 'K', name: 'n', namespace: 'a' } } },
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ],
  ])('%j', async (object, text) => {
    expect(await refusal(`${NETWORKING}/ingressclasses`, object)).toBe(text);
  });

  test('has an immutable controller', async () => {
    await kube.request('POST', `${NETWORKING}/ingressclasses`, {
      metadata: { name: 'c' },
      spec: { controller: 'example.com/c' },
    });
    const { body } = await kube.request('PATCH', `${NETWORKING}/ingressclasses/c`, {
      spec: { controller: 'example.com/d' },
    });
    expect(body['message']).toContain('spec.controller: Invalid value: "example.com/d": field is immutable');
  });
});

describe('NetworkPolicy', () => {
  const policy = (peer: JsonObject, port: JsonObject = {}) => ({
    spec: { ingress: [{ from: [peer], ports: [port] }] },
  });
  test.each<[JsonObject, string]>([
    [policy({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }), ''],
    [
      policy({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
    ],
    [policy({}), 'spec.ingress[0].from[0]: Required value: must specify a peer'],
    [
      policy({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
      'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
    ],
    [
      policy({ podSelector: {} }, { port: 'web', endPort: 9 }),
      'spec.ingress[0].ports[0].endPort: Invalid value: 9: may not be specified when `port` is non-numeric',
    ],
    [
      { spec: { policyTypes: ['Both'] } },
      'spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"',
    ],
  ])('%j', async (object, text) => {
    expect(await refusal(`${DEFAULT}/networkpolicies`, object)).toBe(text);
  });
});

describe('IPAddress and ServiceCIDR', () => {
  test('an IPAddress needs a parent, and its name is an address', async () => {
    const path = `${NETWORKING}/ipaddresses`;
    const spec = { parentRef: { resource: 'services', namespace: 'default', name: 'web' } };
    expect(await refusal(path, { metadata: { name: '10.0.0.9' }, spec })).toBe('');
    expect(await refusal(path, { metadata: { name: '10.0.0.9' } })).toBe('spec.parentRef: Required value');
    expect(await refusal(path, { metadata: { name: 'FD00::1' }, spec })).toBe(
      'metadata.name: Invalid value: "FD00::1": must be in canonical form ("fd00::1")',
    );
  });

  test('a ServiceCIDR accepts a network of the second IP family and no other change', async () => {
    const path = `${NETWORKING}/servicecidrs`;
    expect(await refusal(path, { spec: { cidrs: ['10.1.0.0/16', '10.2.0.0/16'] } })).toBe(
      'spec.cidrs: Invalid value: ["10.1.0.0/16","10.2.0.0/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    );
    await kube.request('POST', path, { metadata: { name: 'more' }, spec: { cidrs: ['10.1.0.0/16'] } });
    const change = (cidrs: string[]) => kube.request('PATCH', `${path}/more`, { spec: { cidrs } });
    expect((await change(['10.9.0.0/16'])).body['message']).toContain(
      'spec.cidrs[0]: Invalid value: "10.9.0.0/16": field is immutable',
    );
    expect((await change(['10.1.0.0/16', 'fd00::/108'])).status).toBe(200);
    expect((await change(['10.1.0.0/16'])).status).toBe(422);
  });
});

describe('Endpoints and EndpointSlice', () => {
  const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  test.each<[JsonObject, string]>([
    [{ subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] }, ''],
    [{ subsets: [{}] }, 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    [
      { subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] },
      'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ])('Endpoints: %j', async (object, text) => {
    expect(await refusal('/api/v1/namespaces/default/endpoints', object)).toBe(text);
  });

  test.each<[JsonObject, string]>([
    [{ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }] }, ''],
    [{ endpoints: [] }, 'addressType: Required value'],
    [
      { addressType: 'IPv6', endpoints: [{ addresses: ['192.0.2.1'] }] },
      'endpoints[0].addresses: Invalid value: "192.0.2.1": must be an IPv6 address',
    ],
    [
      { addressType: 'IPv4', endpoints: [{ addresses: [] }] },
      'endpoints[0].addresses: Required value: must contain at least 1 address',
    ],
    [{ addressType: 'IPv4', endpoints: [], ports: [{}, {}] }, 'ports[1].name: Duplicate value: ""'],
  ])('EndpointSlice: %j', async (object, text) => {
    expect(await refusal(SLICES, object)).toBe(text);
  });

  test('an EndpointSlice counts a generation for a change of labels', async () => {
    await kube.request('POST', SLICES, { metadata: { name: 's' }, addressType: 'IPv4', endpoints: [] });
    const { body } = await kube.request('PATCH', `${SLICES}/s`, { metadata: { labels: { a: 'b' } } });
    expect(body).toMatchObject({ metadata: { generation: 2 } });
  });

  test('Endpoints are deleted with their Service', async () => {
    const services = '/api/v1/namespaces/default/services';
    await kube.request('POST', services, { metadata: { name: 'gone' }, spec: { ports: [{ port: 80 }] } });
    await kube.request('POST', '/api/v1/namespaces/default/endpoints', { metadata: { name: 'gone' } });
    await kube.request('DELETE', `${services}/gone`);
    expect((await kube.request('GET', '/api/v1/namespaces/default/endpoints/gone')).status).toBe(404);
  });
});

describe('Node', () => {
  const NODES = '/api/v1/nodes';
  test.each<[JsonObject, string]>([
    [{ spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, ''],
    [
      { spec: { taints: [{ key: 'a', effect: 'Never' }] } },
      'metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      { spec: { podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] } },
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
    [
      { status: { declaredFeatures: ['B', 'A'] } },
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
    ],
  ])('%j', async (object, text) => {
    expect(await refusal(NODES, object)).toBe(text);
  });

  test('mirrors podCIDR and podCIDRs, and only /status changes its status', async () => {
    const created = await kube.request('POST', NODES, {
      metadata: { name: 'n' },
      spec: { podCIDR: '10.1.0.0/24', configSource: {} },
      status: { capacity: { cpu: '2' } },
    });
    expect(created.body).toMatchObject({
      spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] },
      status: { capacity: { cpu: '2' }, allocatable: { cpu: '2' } },
    });
    expect(created.body['spec']).not.toHaveProperty('configSource');
    const moved = await kube.request('PATCH', `${NODES}/n`, { spec: { podCIDR: '10.2.0.0/24' } });
    expect(moved.body['message']).toContain('node updates may not change podCIDR except from "" to valid');
    const patched = await kube.request('PATCH', `${NODES}/n`, { status: { capacity: { cpu: '3' } } });
    expect(patched.body).toMatchObject({ status: { capacity: { cpu: '2' } } });
  });

  test('can be selected by spec.unschedulable', async () => {
    const { body } = await kube.request('GET', `${NODES}?fieldSelector=spec.unschedulable=false`);
    expect((body['items'] as JsonObject[]).map((node) => (node['metadata'] as JsonObject)['name'])).toEqual(['n']);
  });
});
