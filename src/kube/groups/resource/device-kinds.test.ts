import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import type { DiscoveryVersion } from '../../../server/discovery/discovery.ts';
import { startTestKube, type TestAnswer, type TestKube, user } from '../../kube-server.fixtures.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const ALICE = user('alice');

let kube: TestKube;
afterEach(() => kube.stop());

const causes = ({ body }: TestAnswer): readonly string[] => {
  const { causes: found = [] } = (body['details'] ?? {}) as { causes?: { field: string; message: string }[] };
  return found.map(({ field, message }) => `${field}: ${message}`);
};

async function allow(rules: JsonObject[]): Promise<void> {
  const group = '/apis/rbac.authorization.k8s.io/v1';
  await kube.request('POST', `${group}/clusterroles`, { metadata: { name: 'alice' }, rules });
  await kube.request('POST', `${group}/clusterrolebindings`, {
    metadata: { name: 'alice' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'alice' },
    subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
  });
}

describe('claims', () => {
  const claim = (name: string, exactly: JsonObject = {}): JsonObject => ({
    metadata: { name },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', ...exactly } }] } },
  });
  const result = { request: 'r', driver: 'd.io', pool: 'p', device: 'dev' };

  test("ask for administrators' access where the namespace allows it, and are told so with all else", async () => {
    kube = await startTestKube();
    const wants = claim('a', { adminAccess: true, deviceClassName: '' });
    const refused = await kube.request('POST', CLAIMS, wants);
    expect(causes(refused)).toEqual([
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
      'spec.devices.requests[0].exactly.deviceClassName: Required value',
    ]);
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await kube.request('PATCH', '/api/v1/namespaces/default', { metadata: { labels } });
    expect((await kube.request('POST', CLAIMS, claim('a', { adminAccess: true }))).status).toBe(201);
  });

  test('are allocated by who may bind them, and described by who speaks for the driver', async () => {
    kube = await startTestKube();
    await kube.request('POST', CLAIMS, claim('a'));
    const allocation = { devices: { results: [result] } };
    const refused = await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { allocation } }, { as: ALICE });
    expect(causes(refused)).toEqual([
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "alice" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    ]);
    const apiGroups = ['resource.k8s.io'];
    await allow([
      { apiGroups, resources: ['resourceclaims/binding'], verbs: ['patch'] },
      { apiGroups, resources: ['resourceclaims/driver'], verbs: ['arbitrary-node:patch'], resourceNames: ['e.io'] },
    ]);
    expect((await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { allocation } }, { as: ALICE })).status).toBe(
      200,
    );
    const devices = [{ driver: 'd.io', pool: 'p', device: 'dev' }];
    const silenced = await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { devices } }, { as: ALICE });
    expect(causes(silenced)).toEqual([
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "d.io" is forbidden: User "alice" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"',
    ]);
    expect((await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { devices } })).status).toBe(200);
  });

  test('are served in v1beta1 as they were written there', async () => {
    kube = await startTestKube({ runtimeConfig: ['resource.k8s.io/v1beta1=true'] });
    const beta = CLAIMS.replace('/v1/', '/v1beta1/');
    const requests = [{ name: 'r', deviceClassName: 'gpu' }];
    const made = await kube.request('POST', beta, { metadata: { name: 'a' }, spec: { devices: { requests } } });
    const defaulted = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
    expect(made.body['spec']).toEqual({ devices: { requests: [{ name: 'r', ...defaulted }] } });
    expect(made.warnings).toEqual([
      '299 - "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+"',
    ]);
    const { body } = await kube.request('GET', `${CLAIMS}/a`);
    expect(body['spec']).toEqual({ devices: { requests: [{ name: 'r', exactly: defaulted }] } });
  });
});

describe('policies', () => {
  const RULE = { apiGroups: ['x'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['y'] };
  const policy = (name: string, kind: string): JsonObject => ({
    metadata: { name },
    spec: {
      paramKind: { apiVersion: 'v1', kind },
      matchConstraints: { resourceRules: [RULE] },
      validations: [{ expression: 'params.x == 1' }],
    },
  });
  const binding = (policyName: string): JsonObject => ({
    metadata: { name: 'b' },
    spec: {
      policyName,
      validationActions: ['Deny'],
      paramRef: { name: 'x', namespace: 'default', parameterNotFoundAction: 'Deny' },
    },
  });

  /** Discovery that finds what the server itself publishes. */
  function discovery() {
    const published = new Map<string, DiscoveryVersion>();
    const keyOf = ({ group, version }: { group: string; version: string }) => `${group}/${version}`;
    return {
      publish: (version: DiscoveryVersion) => void published.set(keyOf(version), version),
      remove: () => undefined,
      get: (version: { group: string; version: string }) => published.get(keyOf(version)),
    };
  }

  test('are written by who may read their parameters', async () => {
    kube = await startTestKube({ discovery: discovery() });
    await allow([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    expect((await kube.request('POST', POLICIES, policy('a', 'ConfigMap'), { as: ALICE })).status).toBe(201);
    expect(causes(await kube.request('POST', POLICIES, policy('b', 'Secret'), { as: ALICE }))).toEqual([
      'spec.paramKind: Forbidden: user &{alice  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
    ]);
    const relabelled = { metadata: { labels: { a: 'b' } } };
    await kube.request('POST', POLICIES, policy('c', 'Secret'));
    expect((await kube.request('PATCH', `${POLICIES}/c`, relabelled, { as: ALICE })).status).toBe(200);
  });

  test('are bound by who may read the parameters', async () => {
    kube = await startTestKube({ discovery: discovery() });
    await allow([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
    for (const kind of ['ConfigMap', 'Secret']) await kube.request('POST', POLICIES, policy(kind.toLowerCase(), kind));
    const bind = (name: string) => kube.request('POST', `${BINDINGS}?dryRun=All`, binding(name), { as: ALICE });
    expect((await bind('configmap')).status).toBe(201);
    const who = 'user &{alice  [system:authenticated] map[]} does not have "get" permission';
    expect(causes(await bind('secret'))).toEqual([
      `spec.paramRef: Forbidden: ${who} on the object referenced by paramRef`,
    ]);
    expect(causes(await bind('nope'))).toEqual([
      `spec.paramRef: Forbidden: unable to get policy nope to determine minimum required permissions and ${who} for all groups, versions and resources`,
    ]);
  });

  test('count generations and need a resourceVersion to be replaced', async () => {
    kube = await startTestKube();
    await kube.request('POST', POLICIES, policy('a', 'ConfigMap'));
    const changed = await kube.request('PATCH', `${POLICIES}/a`, { spec: { failurePolicy: 'Ignore' } });
    expect(changed.body['metadata']).toMatchObject({ generation: 2 });
    expect(changed.body['status']).toEqual({});
    expect(causes(await kube.request('PUT', `${POLICIES}/a`, policy('a', 'ConfigMap')))).toEqual([
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });
});
