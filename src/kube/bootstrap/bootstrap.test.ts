import { afterEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createCa } from '../../pki/certificates.ts';
import { startTestKube, type TestKube, user } from '../kube-server.fixtures.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe('bootstrap', () => {
  let kube: TestKube;
  afterEach(() => kube.stop());
  const count = async (path: string) => ((await kube.request('GET', path)).body['items'] as unknown[]).length;

  test('writes the bootstrap policy, with empty aggregated roles', async () => {
    kube = await startTestKube();
    expect(await count(`${RBAC}/clusterroles`)).toBe(69);
    expect(await count(`${RBAC}/clusterrolebindings`)).toBe(50);
    expect((await kube.request('GET', `${RBAC}/clusterroles/admin`)).body).toMatchObject({
      rules: null,
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } }],
      },
    });
  });

  test('updates its objects at every start and keeps additions', async () => {
    kube = await startTestKube();
    await kube.request('DELETE', `${RBAC}/clusterroles/view`);
    await kube.request('PATCH', `${RBAC}/clusterroles/edit`, { metadata: { labels: { mine: 'yes' } } });
    await kube.request('PUT', `${RBAC}/clusterrolebindings/system:basic-user`, {
      metadata: { name: 'system:basic-user' },
      roleRef: { kind: 'ClusterRole', name: 'system:basic-user' },
      subjects: [{ kind: 'User', name: 'extra' }],
    });
    await kube.stop();
    kube = await startTestKube({}, kube.host);
    expect((await kube.request('GET', `${RBAC}/clusterroles/view`)).status).toBe(200);
    expect((await kube.request('GET', `${RBAC}/clusterroles/edit`)).body).toMatchObject({
      metadata: { labels: { mine: 'yes' } },
    });
    expect((await kube.request('GET', `${RBAC}/clusterrolebindings/system:basic-user`)).body['subjects']).toEqual([
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'extra' },
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' },
    ]);
  });

  test('restores a deleted public-info-viewer with the subjects and annotations of system:discovery', async () => {
    kube = await startTestKube();
    const group = 'rbac.authorization.k8s.io';
    await kube.request('PUT', `${RBAC}/clusterrolebindings/system:discovery`, {
      metadata: {
        name: 'system:discovery',
        labels: { team: 'a' },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false', note: 'kept' },
      },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'system:discovery' },
      subjects: [{ kind: 'User', apiGroup: group, name: 'only-me' }],
    });
    await kube.request('DELETE', `${RBAC}/clusterrolebindings/system:public-info-viewer`);
    await kube.stop();
    kube = await startTestKube({}, kube.host);
    expect((await kube.request('GET', `${RBAC}/clusterrolebindings/system:public-info-viewer`)).body).toMatchObject({
      metadata: {
        labels: { team: 'a' },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false', note: 'kept' },
      },
      roleRef: { name: 'system:public-info-viewer' },
      subjects: [{ kind: 'User', apiGroup: group, name: 'only-me' }],
    });
  });

  test('restores a deleted part of an aggregated role with the rules of a role of the old form', async () => {
    kube = await startTestKube();
    const rule = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };
    await kube.request('PUT', `${RBAC}/clusterroles/view`, {
      metadata: { name: 'view', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } },
      rules: [rule],
    });
    await kube.request('DELETE', `${RBAC}/clusterroles/system:aggregate-to-view`);
    await kube.request('DELETE', `${RBAC}/clusterroles/system:aggregate-to-edit`);
    await kube.stop();
    kube = await startTestKube({}, kube.host);
    const part = async (name: string) => (await kube.request('GET', `${RBAC}/clusterroles/${name}`)).body;
    const view = await part('system:aggregate-to-view');
    expect(view['metadata']).toMatchObject({ labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } });
    expect((view['rules'] as unknown[])[0]).toEqual(rule);
    expect((view['rules'] as unknown[]).length).toBeGreaterThan(5);
    expect(await part('view')).toMatchObject({ aggregationRule: {}, rules: [rule] });
    expect((await part('system:aggregate-to-edit'))['rules']).not.toContainEqual(rule);
  });

  test('writes nothing if everything is in place', async () => {
    kube = await startTestKube();
    const before = await kube.host.storage.revision();
    await kube.stop();
    kube = await startTestKube({}, kube.host);
    expect(await kube.host.storage.revision()).toBe(before);
  });

  test('publishes the trusted CAs and headers for extension servers', async () => {
    const ca = await createCa({ commonName: 'ca', clock: new VirtualClock() });
    kube = await startTestKube({
      trust: () => ({
        clientCaPem: ca.certificatePem,
        requestHeader: {
          caPem: ca.certificatePem,
          usernameHeaders: ['X-Remote-User'],
          uidHeaders: [],
          groupHeaders: ['X-Remote-Group'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
          allowedNames: ['front-proxy-client'],
        },
      }),
    });
    const { body } = await kube.request(
      'GET',
      '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
    );
    expect(body['data']).toEqual({
      'client-ca-file': ca.certificatePem,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': ca.certificatePem,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });

  test('allows discovery to authenticated users and nothing else', async () => {
    kube = await startTestKube();
    const ask = async (verb: string, path: string, groups: string[]) => {
      const result = await kube.server.authorizer.authorize({
        user: user('x', groups),
        verb,
        path,
        namespace: '',
        apiGroup: '',
        apiVersion: '',
        resource: '',
        subresource: '',
        name: '',
        isResourceRequest: false,
      });
      return result.decision;
    };
    expect(await ask('get', '/api', ['system:authenticated'])).toBe('allow');
    expect(await ask('get', '/metrics', ['system:authenticated'])).toBe('no-opinion');
    expect(await ask('get', '/healthz', ['system:unauthenticated'])).toBe('allow');
    expect(await ask('get', '/metrics', ['system:masters'])).toBe('allow');
  });
});
