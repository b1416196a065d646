/** Access reviews and SelfSubjectReview. */
import { get, grant, post, roleBindings, roles, type Topic, topic } from '../request.ts';
import { sortedRules } from '../views.ts';

const AUTHZ = '/apis/authorization.k8s.io/v1';
const AUTHN = '/apis/authentication.k8s.io/v1';
const read = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const ask = (
  verb: string,
  resource: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  spec: { resourceAttributes: { namespace: '{{ns}}', verb, resource, ...more } },
});

export const reviews: Topic = topic('reviews', {
  SelfSubjectAccessReview: [
    ...grant('alice', [read]),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('get', 'configmaps'), { user: 'alice' }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('delete', 'configmaps'), { user: 'alice' }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('get', 'configmaps', { name: 'x', subresource: 'status' }), {
      user: 'alice',
    }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('*', '*', { group: '*' })),
    post(
      `${AUTHZ}/selfsubjectaccessreviews`,
      { spec: { nonResourceAttributes: { path: '/api', verb: 'get' } } },
      { user: 'alice' },
    ),
    post(
      `${AUTHZ}/selfsubjectaccessreviews`,
      { spec: { nonResourceAttributes: { path: '/secret', verb: 'get' } } },
      { user: 'alice' },
    ),
    post(`${AUTHZ}/selfsubjectaccessreviews`, { spec: {} }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, { spec: { resourceAttributes: {}, nonResourceAttributes: {} } }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, { metadata: { name: 'named' }, ...ask('get', 'configmaps') }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('get', 'configmaps'), { user: 'anonymous' }),
    get(`${AUTHZ}/selfsubjectaccessreviews`),
  ],
  SubjectAccessReview: [
    ...grant('alice', [read]),
    post(`${AUTHZ}/subjectaccessreviews`, {
      spec: { user: 'alice', resourceAttributes: { namespace: '{{ns}}', verb: 'get', resource: 'configmaps' } },
    }),
    post(`${AUTHZ}/subjectaccessreviews`, {
      spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'configmaps' } },
    }),
    post(`${AUTHZ}/subjectaccessreviews`, {
      spec: { groups: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'configmaps' } },
    }),
    post(`${AUTHZ}/subjectaccessreviews`, {
      spec: { user: 'x', groups: ['system:authenticated'], nonResourceAttributes: { verb: 'get', path: '/api' } },
    }),
    post(`${AUTHZ}/subjectaccessreviews`, { spec: { user: 'x' } }),
    post(`${AUTHZ}/subjectaccessreviews`, { spec: { resourceAttributes: { verb: 'get', resource: 'configmaps' } } }),
    post(`${AUTHZ}/subjectaccessreviews`, {
      spec: {
        user: 'alice',
        uid: 'u',
        extra: { k: ['v'] },
        resourceAttributes: {
          namespace: '{{ns}}',
          verb: 'list',
          resource: 'configmaps',
          fieldSelector: { rawSelector: 'metadata.name=x' },
        },
      },
    }),
    post(`${AUTHZ}/subjectaccessreviews`, {
      spec: {
        user: 'alice',
        resourceAttributes: {
          namespace: '{{ns}}',
          verb: 'list',
          resource: 'configmaps',
          labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
        },
      },
    }),
    post(`${AUTHZ}/subjectaccessreviews`, { spec: { user: 'alice' } }, { user: 'alice' }),
  ],
  LocalSubjectAccessReview: [
    ...grant('alice', [read]),
    post(`${AUTHZ}/namespaces/{{ns}}/localsubjectaccessreviews`, {
      spec: { user: 'alice', resourceAttributes: { namespace: '{{ns}}', verb: 'get', resource: 'configmaps' } },
    }),
    post(`${AUTHZ}/namespaces/{{ns}}/localsubjectaccessreviews`, {
      spec: { user: 'alice', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'configmaps' } },
    }),
    post(`${AUTHZ}/namespaces/{{ns}}/localsubjectaccessreviews`, {
      spec: { user: 'alice', nonResourceAttributes: { verb: 'get', path: '/' } },
    }),
    post(`${AUTHZ}/namespaces/{{ns}}/localsubjectaccessreviews`, {
      metadata: { namespace: 'other' },
      spec: { user: 'alice', resourceAttributes: { verb: 'get' } },
    }),
  ],
  SelfSubjectRulesReview: [
    ...grant('alice', [read, { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['s'] }]),
    post(`${AUTHZ}/selfsubjectrulesreviews`, { spec: { namespace: '{{ns}}' } }, { user: 'alice', view: sortedRules }),
    post(`${AUTHZ}/selfsubjectrulesreviews`, { spec: { namespace: '{{ns}}' } }, { user: 'bob', view: sortedRules }),
    post(`${AUTHZ}/selfsubjectrulesreviews`, { spec: { namespace: '{{ns}}' } }, { view: sortedRules }),
    post(`${AUTHZ}/selfsubjectrulesreviews`, { spec: {} }),
    post(`${AUTHZ}/selfsubjectrulesreviews`, { spec: { namespace: 'missing' } }, { user: 'anonymous' }),
  ],
  SelfSubjectReview: [
    post(`${AUTHN}/selfsubjectreviews`, {}),
    post(
      `${AUTHN}/selfsubjectreviews`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      { user: 'carol' },
    ),
    post(`${AUTHN}/selfsubjectreviews`, {}, { user: 'cert-admin' }),
    post(`${AUTHN}/selfsubjectreviews`, {}, { user: 'dave' }),
    post(`${AUTHN}/selfsubjectreviews`, {}, { user: 'anonymous' }),
    post(`${AUTHN}/selfsubjectreviews`, { metadata: { name: 'x', labels: { a: 'b' } } }),
    get(`${AUTHN}/selfsubjectreviews`),
  ],
  TokenReview: [
    post(`${AUTHN}/tokenreviews`, { spec: { token: 'carol-token-0123456789' } }),
    post(`${AUTHN}/tokenreviews`, {
      spec: { token: 'carol-token-0123456789', audiences: ['https://kubernetes.default.svc'] },
    }),
    post(`${AUTHN}/tokenreviews`, { spec: { token: 'carol-token-0123456789', audiences: ['odd'] } }),
    post(`${AUTHN}/tokenreviews`, { spec: { token: 'nobody' } }),
    post(`${AUTHN}/tokenreviews`, { spec: {} }),
    post(`${AUTHN}/tokenreviews`, { spec: { token: 'a.b.c' } }),
    post(`${AUTHN}/tokenreviews`, { spec: { token: 'nobody' } }, { user: 'alice' }),
  ],
  'options of reviews': [
    post(`${AUTHZ}/selfsubjectaccessreviews?dryRun=All`, ask('get', 'configmaps')),
    post(`${AUTHZ}/selfsubjectaccessreviews?fieldValidation=Strict`, { spec: { odd: 1 } }),
    post(`${AUTHZ}/selfsubjectaccessreviews?pretty=true`, ask('get', 'configmaps')),
    post(`${AUTHZ}/selfsubjectaccessreviews`, 'spec:\n  nonResourceAttributes: {path: /x, verb: get}\n', {
      type: 'application/yaml',
    }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('get', 'configmaps'), { accept: 'application/yaml' }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, { apiVersion: 'v1', kind: 'ConfigMap' }),
    post(`${AUTHZ}/selfsubjectaccessreviews`, ask('get', 'configmaps'), {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    }),
    post(`${roles()}`, { metadata: { name: 'unused' }, rules: [] }),
    post(`${roleBindings()}?dryRun=All`, {
      metadata: { name: 'unused' },
      roleRef: { kind: 'Role', name: 'unused', apiGroup: 'rbac.authorization.k8s.io' },
    }),
  ],
});
