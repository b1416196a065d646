import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestKube, type TestKube, user } from '../kube-server.fixtures.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const JOE = { as: user('joe') };
const RULES = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];

describe('a user who writes roles and bindings', () => {
  let kube: TestKube;
  const bind = (name: string, role: string, namespace = 'default') =>
    kube.request('POST', `${RBAC}/namespaces/${namespace}/rolebindings`, {
      metadata: { name },
      roleRef: { kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', name: 'joe' }],
    });
  beforeAll(async () => {
    kube = await startTestKube();
    await kube.request('POST', `${RBAC}/clusterroles`, { metadata: { name: 'secret-reader' }, rules: RULES });
  });
  afterAll(() => kube.stop());

  test('cannot grant permissions that the user does not hold', async () => {
    const { body } = await kube.request(
      'POST',
      `${RBAC}/namespaces/default/roles`,
      { metadata: { name: 'r' }, rules: RULES },
      JOE,
    );
    expect(body).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(body['message']).toBe(
      'roles.rbac.authorization.k8s.io "r" is forbidden: user "joe" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
  });

  test('can grant a permission right after the user received it', async () => {
    const role = (name: string) =>
      kube.request('POST', `${RBAC}/namespaces/kube-public/roles`, { metadata: { name }, rules: RULES }, JOE);
    expect((await role('before')).status).toBe(403);
    await bind('holds', 'secret-reader', 'kube-public');
    expect((await role('after')).status).toBe(201);
  });

  test('needs full authority to set an aggregationRule', async () => {
    const { body } = await kube.request(
      'POST',
      `${RBAC}/clusterroles`,
      { metadata: { name: 'agg' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
      JOE,
    );
    expect(body['message']).toMatch(/must have cluster-admin privileges to use the aggregationRule$/);
  });

  test('can change fields that grant no permissions, such as finalizers', async () => {
    await kube.request('POST', `${RBAC}/namespaces/default/roles`, { metadata: { name: 'owned' }, rules: RULES });
    const patch = (metadata: Record<string, string | string[] | Record<string, string>>) =>
      kube.request('PATCH', `${RBAC}/namespaces/default/roles/owned`, { metadata }, JOE);
    expect((await patch({ finalizers: ['a.b/c'] })).status).toBe(200);
    expect((await patch({ labels: { a: 'b' } })).status).toBe(403);
  });

  test('cannot bind a role that the user does not hold, or that does not exist', async () => {
    const as = (kind: string, name: string) =>
      kube.request(
        'POST',
        `${RBAC}/namespaces/default/rolebindings`,
        { metadata: { name: 'b' }, roleRef: { kind, name } },
        JOE,
      );
    expect((await as('ClusterRole', 'cluster-admin')).status).toBe(403);
    expect((await as('Role', 'none')).body).toMatchObject({
      code: 404,
      message: 'rolebindings.rbac.authorization.k8s.io "none" not found',
    });
    expect((await as('Odd', 'none')).body).toMatchObject({
      code: 500,
      message: 'unsupported role reference kind: "Odd"',
    });
  });

  test('gets the error of reading the role if the role reference is malformed', async () => {
    const as = async (kind: string, name: string): Promise<unknown> => {
      const binding = { metadata: { name: 'b' }, roleRef: { kind, name } };
      const { body } = await kube.request('POST', `${RBAC}/clusterrolebindings`, binding, JOE);
      return [body['code'], body['message']];
    };
    expect(await as('Role', 'r')).toEqual([400, 'Namespace parameter required.']);
    expect(await as('ClusterRole', '')).toEqual([400, 'Name parameter required.']);
    expect(await as('ClusterRole', 'a/b')).toEqual([400, `Name parameter invalid: "a/b": may not contain '/'`]);
  });

  test('can bind and escalate if the verbs bind and escalate are allowed', async () => {
    await kube.request('POST', `${RBAC}/clusterroles`, {
      metadata: { name: 'delegate' },
      rules: [
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles'],
          verbs: ['bind'],
          resourceNames: ['edit'],
        },
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['escalate'] },
      ],
    });
    await bind('delegates', 'delegate', 'kube-system');
    const target = `${RBAC}/namespaces/kube-system`;
    const edit = { metadata: { name: 'e' }, roleRef: { kind: 'ClusterRole', name: 'edit' } };
    expect((await kube.request('POST', `${target}/rolebindings`, edit, JOE)).status).toBe(201);
    const role = { metadata: { name: 'all' }, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };
    expect((await kube.request('POST', `${target}/roles`, role, JOE)).status).toBe(201);
  });
});
