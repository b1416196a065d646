import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DiscoveryVersion } from '../server/discovery/discovery-publisher.ts';
import { startTestKube, type TestKube, user } from './kube-server.fixtures.ts';

describe('the KubeServer', () => {
  let kube: TestKube;
  const published: DiscoveryVersion[] = [];
  beforeAll(async () => {
    kube = await startTestKube({
      discovery: {
        publish: (version) => void published.push(version),
        remove: () => undefined,
        get: () => undefined,
        getLocal: () => undefined,
      },
    });
  });
  afterAll(() => kube.stop());

  test('creates the system namespaces', async () => {
    const { body } = await kube.request('GET', '/api/v1/namespaces');
    const items = body['items'] as { metadata: { name: string } }[];
    expect(items.map((item) => item.metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    expect(items[0]).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  test('publishes its groups with the verbs of each resource', () => {
    const core = published.find(({ group }) => group === '');
    const verbs = Object.fromEntries((core?.resources ?? []).map(({ plural, verbs: own }) => [plural, own.join()]));
    expect(verbs).toMatchObject({
      namespaces: 'create,delete,get,list,patch,update,watch',
      configmaps: 'create,delete,deletecollection,get,list,patch,update,watch',
    });
    const namespaces = core?.resources.find(({ plural }) => plural === 'namespaces');
    expect(namespaces?.subresources.map(({ name, verbs: own }) => [name, own.join()])).toEqual([
      ['finalize', 'update'],
      ['status', 'get,patch,update'],
    ]);
    const groups = [...published].sort((a, b) => b.groupPriority - a.groupPriority).map(({ group }) => group);
    const inOrder = [
      '',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'networking.k8s.io',
      'rbac.authorization.k8s.io',
      'coordination.k8s.io',
    ];
    expect(groups.filter((group) => inOrder.includes(group))).toEqual(inOrder);
  });

  test('deletes events after their TTL', async () => {
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } };
    await kube.request('POST', '/api/v1/namespaces/default/events', event);
    await kube.clock.advance(3599_000);
    expect((await kube.request('GET', '/api/v1/namespaces/default/events/e')).status).toBe(200);
    await kube.clock.advance(10_000);
    expect((await kube.request('GET', '/api/v1/namespaces/default/events/e')).status).toBe(404);
  });

  test('serves an event in both groups', async () => {
    const event = { metadata: { name: 'both' }, involvedObject: { namespace: 'default', name: 'x' }, message: 'M' };
    await kube.request('POST', '/api/v1/namespaces/default/events', event);
    expect((await kube.request('GET', '/apis/events.k8s.io/v1/namespaces/default/events/both')).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'x' },
      note: 'M',
    });
  });

  test('authorizes with a binding right after its write', async () => {
    const may = async () => {
      const spec = { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default' } };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const { body } = await kube.request('POST', path, { spec }, { as: user('ann') });
      return (body['status'] as { allowed: boolean }).allowed;
    };
    const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    expect(await may()).toBe(false);
    await kube.request('POST', path, {
      metadata: { name: 'ann' },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', name: 'ann' }],
    });
    expect(await may()).toBe(true);
    await kube.request('DELETE', `${path}/ann`);
    expect(await may()).toBe(false);
  });

  test("keeps only the names of an account's Secrets and warns about a deprecated annotation", async () => {
    const { body, warnings } = await kube.request('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'old', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
      secrets: [{ kind: 'Secret', name: 's' }],
    });
    expect(body['secrets']).toEqual([{ name: 's' }]);
    expect(warnings[0]).toMatch(/^299 - "metadata.annotations\[kubernetes.io\/enforce-mountable-secrets\]: deprecated/);
    const deleted = await kube.request('DELETE', '/api/v1/namespaces/default/serviceaccounts/old');
    expect(deleted.body).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'old' } });
  });

  test('makes the OpenID documents', async () => {
    const documents = await kube.server.openIdDocuments('localhost:6443');
    expect(documents.ok).toBe(true);
  });

  test('leaves no timer or watch behind', async () => {
    const other = await startTestKube();
    await other.stop();
    expect(other.clock.pendingTimers).toBe(0);
  });
});

test('a disabled plugin does nothing', async () => {
  const kube = await startTestKube({ admission: { enable: [], disable: ['NamespaceLifecycle'] } });
  const answer = await kube.request('POST', '/api/v1/namespaces/none/configmaps', { metadata: { name: 'x' } });
  expect(answer.status).toBe(201);
  await kube.stop();
});
