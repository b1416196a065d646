import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { ISSUER, startTestKube, type TestKube, user } from '../../kube-server.fixtures.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const GET_PODS = { verb: 'get', resource: 'pods', namespace: 'default' };

describe('review kinds', () => {
  let kube: TestKube;
  const ask = (path: string, body: JsonObject, as = user('joe')) => kube.request('POST', path, body, { as });
  beforeAll(async () => {
    kube = await startTestKube();
    await kube.request('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'ghost' },
      roleRef: { kind: 'Role', name: 'missing' },
      subjects: [{ kind: 'User', name: 'joe' }],
    });
  });
  afterAll(() => kube.stop());

  test('SelfSubjectAccessReview answers whether the requesting user is allowed, with the reason', async () => {
    const path = `${AUTHORIZATION}/selfsubjectaccessreviews`;
    const nonResourceAttributes = { path: '/version', verb: 'get' };
    const { body } = await ask(path, { spec: { nonResourceAttributes } });
    expect(body).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { managedFields: [expect.objectContaining({ operation: 'Update' })] },
      spec: { nonResourceAttributes },
      status: {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      },
    });
    expect((await ask(path, { spec: { resourceAttributes: GET_PODS } })).body['status']).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "missing" not found',
    });
  });

  test('SubjectAccessReview needs a user or group and exactly one kind of attributes', async () => {
    const { body } = await ask(`${AUTHORIZATION}/subjectaccessreviews`, {
      metadata: { name: 'x' },
      spec: { resourceAttributes: GET_PODS, nonResourceAttributes: { path: '/' } },
    });
    expect(String(body['message']).replace(/,"managedFields":\[.*\]}: must/, '}: must')).toBe(
      '.authorization.k8s.io "" is invalid: [spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":""}: cannot be specified in combination with resourceAttributes, spec.user: Invalid value: "": at least one of user or group must be specified, metadata: Invalid value: {"name":"x"}: must be empty]',
    );
  });

  test('access reviews report selectors that are ignored', async () => {
    const requirements = [
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'a', operator: 'Odd' },
    ];
    const resourceAttributes = {
      ...GET_PODS,
      fieldSelector: { rawSelector: 'a=b,c' },
      labelSelector: { requirements },
    };
    const { body } = await ask(`${AUTHORIZATION}/subjectaccessreviews`, { spec: { user: 'x', resourceAttributes } });
    expect(body['status']).toEqual({
      allowed: false,
      evaluationError:
        'spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error',
    });
  });

  test('LocalSubjectAccessReview is limited to its namespace, which need not exist', async () => {
    const path = `${AUTHORIZATION}/namespaces/nowhere/localsubjectaccessreviews`;
    const inside = { spec: { user: 'x', resourceAttributes: { ...GET_PODS, namespace: 'nowhere' } } };
    expect((await ask(path, inside)).status).toBe(201);
    expect((await ask(path, { spec: { user: 'x', resourceAttributes: GET_PODS } })).body['message']).toBe(
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "default": must match metadata.namespace',
    );
  });

  test('SelfSubjectRulesReview lists the rules of the requesting user, and whether they are incomplete', async () => {
    const { body } = await ask(`${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
    expect(body).toMatchObject({
      spec: {},
      status: {
        incomplete: false,
        evaluationError: 'role.rbac.authorization.k8s.io "missing" not found',
        resourceRules: expect.arrayContaining([
          { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
        ]),
      },
    });
    expect((await ask(`${AUTHORIZATION}/selfsubjectrulesreviews`, {})).body['message']).toBe('no namespace on request');
  });

  test('SelfSubjectReview answers with the requesting user', async () => {
    const { body } = await ask(`${AUTHENTICATION}/selfsubjectreviews`, { metadata: { name: 'x' } });
    expect(body).toEqual({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: '2030-01-01T00:00:00Z' },
      status: { userInfo: { username: 'joe', groups: ['system:authenticated'] } },
    });
  });

  test('TokenReview answers with the user of a token for the requested audiences', async () => {
    const review = (spec: JsonObject) => ask(`${AUTHENTICATION}/tokenreviews`, { spec });
    expect((await review({ token: 'static' })).body['status']).toEqual({
      authenticated: true,
      user: { username: 'joe', groups: ['devs', 'system:authenticated'] },
      audiences: [ISSUER],
    });
    const unknown = { user: {}, error: 'invalid bearer token' };
    expect((await review({ token: 'static', audiences: ['other'] })).body['status']).toEqual(unknown);
    expect((await review({ token: 'nobody' })).body['status']).toEqual(unknown);
    expect((await review({})).body['message']).toBe('token is required for TokenReview in authentication');
  });
});
