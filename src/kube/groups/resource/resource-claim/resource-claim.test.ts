import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../base/json-value.ts';
import { causesOf, grant, startTestKube, type TestKube, user } from '../../../kube-server.fixtures.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const ALICE = user('alice');

let kube: TestKube;
afterEach(() => kube.stop());

describe('a ResourceClaim', () => {
  const claim = (name: string, exactly: JsonObject = {}): JsonObject => ({
    metadata: { name },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', ...exactly } }] } },
  });
  const result = { request: 'r', driver: 'd.io', pool: 'p', device: 'dev' };

  test('with admin access needs a label on the namespace, reported with all other issues', async () => {
    kube = await startTestKube();
    const wants = claim('a', { adminAccess: true, deviceClassName: '' });
    const refused = await kube.request('POST', CLAIMS, wants);
    expect(causesOf(refused)).toEqual([
      'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
      'spec.devices.requests[0].exactly.deviceClassName: Required value',
    ]);
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await kube.request('PATCH', '/api/v1/namespaces/default', { metadata: { labels } });
    expect((await kube.request('POST', CLAIMS, claim('a', { adminAccess: true }))).status).toBe(201);
  });

  test('needs permission for resourceclaims/binding to be allocated, and for resourceclaims/driver to get device status', async () => {
    kube = await startTestKube();
    await kube.request('POST', CLAIMS, claim('a'));
    const allocation = { devices: { results: [result] } };
    const refused = await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { allocation } }, { as: ALICE });
    expect(causesOf(refused)).toEqual([
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "alice" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    ]);
    // Missing permissions come before other issues.
    const both = { allocation: { devices: { results: [{ ...result, pool: '' }] } }, reservedFor: [{}] };
    const invalid = await kube.request('PATCH', `${CLAIMS}/a/status`, { status: both }, { as: ALICE });
    expect(causesOf(invalid).map((cause) => cause.slice(0, 60))).toEqual([
      'status.allocation: Forbidden: changing status.allocation or ',
      'status.reservedFor[0].resource: Required value',
      'status.reservedFor[0].name: Required value',
      'status.reservedFor[0].uid: Required value',
      'status.allocation.devices.results[0].pool: Required value',
    ]);
    const apiGroups = ['resource.k8s.io'];
    await grant(kube, ALICE, [
      { apiGroups, resources: ['resourceclaims/binding'], verbs: ['patch'] },
      { apiGroups, resources: ['resourceclaims/driver'], verbs: ['arbitrary-node:patch'], resourceNames: ['e.io'] },
    ]);
    expect((await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { allocation } }, { as: ALICE })).status).toBe(
      200,
    );
    const devices = [{ driver: 'd.io', pool: 'p', device: 'dev' }];
    const silenced = await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { devices } }, { as: ALICE });
    expect(causesOf(silenced)).toEqual([
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "d.io" is forbidden: User "alice" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"',
    ]);
    expect((await kube.request('PATCH', `${CLAIMS}/a/status`, { status: { devices } })).status).toBe(200);
  });

  test('is converted between v1beta1 and v1', async () => {
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
