import { afterEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createCa } from '../../pki/certificates.ts';
import { startTestKube, type TestKube, user } from '../kube-server.fixtures.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe('what a server contains', () => {
  let kube: TestKube;
  afterEach(() => kube.stop());
  const count = async (path: string) => ((await kube.request('GET', path)).body['items'] as unknown[]).length;

  test('is the bootstrap policy, with roles that are yet to be gathered', async () => {
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

  test('is brought up to date by every start, and additions stay', async () => {
    kube = await startTestKube();
    await kube.request('DELETE', `${RBAC}/clusterroles/view`);
    await kube.request('PATCH', `${RBAC}/clusterroles/edit`, { metadata: { labels: { mine: 'yes' } } });
    await kube.request('PUT', `${RBAC}/clusterrolebindings/system:basic-user`, {
      metadata: { name: 'system:basic-user' },
      roleRef: { kind: 'ClusterRole', name: 'system:basic-user' },
      subjects: [{ kind: 'User', name: 'extra' }],
    });
    await kube.stop();
    kube = await startTestKube({}, kube.world);
    expect((await kube.request('GET', `${RBAC}/clusterroles/view`)).status).toBe(200);
    expect((await kube.request('GET', `${RBAC}/clusterroles/edit`)).body).toMatchObject({
      metadata: { labels: { mine: 'yes' } },
    });
    expect((await kube.request('GET', `${RBAC}/clusterrolebindings/system:basic-user`)).body['subjects']).toEqual([
      { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'extra' },
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' },
    ]);
  });

  test('is left alone by a start that finds nothing to do', async () => {
    kube = await startTestKube();
    const before = await kube.world.storage.revision();
    await kube.stop();
    kube = await startTestKube({}, kube.world);
    expect(await kube.world.storage.revision()).toBe(before);
  });

  test('tells extension servers whom to trust', async () => {
    const ca = await createCa({ commonName: 'ca', clock: new VirtualClock() });
    kube = await startTestKube({
      trust: {
        clientCaPem: ca.certificatePem,
        requestHeader: {
          caPem: ca.certificatePem,
          usernameHeaders: ['X-Remote-User'],
          uidHeaders: [],
          groupHeaders: ['X-Remote-Group'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
          allowedNames: ['front-proxy-client'],
        },
      },
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

  test('lets everybody discover and nobody else do anything', async () => {
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
