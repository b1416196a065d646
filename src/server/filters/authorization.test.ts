import { describe, expect, it } from 'vitest';
import { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import type { AuthorizationResult, Authorizer } from '../authorizer.ts';
import { registerServerMetrics } from '../metrics/server-metrics.ts';
import { attributesOf, forbiddenStatus } from './authorization.ts';
import {
  ALWAYS_ALLOW,
  ALWAYS_DENY,
  pathsAuthorizer,
  privilegedGroupsAuthorizer,
  unionAuthorizer,
} from './authorizers.ts';
import {
  atOnce,
  authorizerOf,
  bodyJson,
  bodyText,
  FakeIncoming,
  fakeRequest,
  testChain,
  userNamed,
} from './filters.fixtures.ts';

const bob = userNamed('bob');
const asked = (target: string, method = 'GET') => attributesOf(bob, fakeRequest({ target, method }).info);
const fixed = (result: Partial<AuthorizationResult>): Authorizer => ({
  authorize: () => ({ decision: 'no-opinion', reason: '', error: '', ...result }),
});

// Texts of kube-apiserver 1.36.3.
describe('a refusal', () => {
  it.each([
    [
      '/api/v1/namespaces/default/configmaps/x',
      '',
      'configmaps "x" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      'no rule',
      'clusterroles.rbac.authorization.k8s.io is forbidden: User "bob" cannot list resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope: no rule',
    ],
    [
      '/api/v1/namespaces/a/pods/p/log',
      '',
      'pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "a"',
    ],
    ['/foo/<b>&x', '', 'forbidden: User "bob" cannot get path "/foo/&lt;b&gt;&amp;x"'],
  ])('of %s', (target, reason, message) => {
    expect(forbiddenStatus(asked(target), reason).message).toBe(message);
  });

  it('is a 403 with nosniff, and no later filter runs', () => {
    const { handler, dispatched } = testChain({ authorizer: authorizerOf(() => 'no rule') });
    const answer = atOnce(handler(new FakeIncoming()));
    expect(bodyJson(answer)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'configmaps "x" is forbidden: User "alice" cannot get resource "configmaps" in API group "" in the namespace "default": no rule',
      reason: 'Forbidden',
      details: { name: 'x', kind: 'configmaps' },
      code: 403,
    });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-cache, private',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
    expect(dispatched).toEqual([]);
  });
});

describe('authorization', () => {
  it('may be asynchronous', async () => {
    const { handler } = testChain({
      authorizer: { authorize: async () => ({ decision: 'allow', reason: '', error: '' }) },
    });
    expect(bodyText(await handler(new FakeIncoming()))).toBe('ok');
  });

  it('with an error is a 500 in plain text, unless the request is allowed', () => {
    const { handler } = testChain({ authorizer: fixed({ error: 'no <index>' }) });
    expect(bodyText(atOnce(handler(new FakeIncoming({ target: '/x?y=1' }))))).toBe(
      'Internal Server Error: "/x?y=1": no &lt;index&gt;\n',
    );
    const allowing = testChain({ authorizer: fixed({ decision: 'allow', error: 'no index' }) });
    expect(bodyText(atOnce(allowing.handler(new FakeIncoming())))).toBe('ok');
  });

  it('always allows system:masters and the always-allowed paths', () => {
    const authorizer = fixed({ decision: 'deny' });
    const masters = testChain({
      authorizer,
      authenticate: () => ({ outcome: 'ok', user: userNamed('root', ['a', 'system:masters']) }),
    });
    expect(bodyText(atOnce(masters.handler(new FakeIncoming())))).toBe('ok');
    const { handler } = testChain({ authorizer });
    const codeOf = (target: string) => {
      const answer = atOnce(handler(new FakeIncoming({ target })));
      return answer.kind === 'bytes' && answer.status;
    };
    expect(['/healthz', '/livez', '/readyz', '/livez/ping', '/metrics'].map(codeOf)).toEqual([403, 403, 403, 403, 403]);
    const open = testChain({ authorizer, alwaysAllowPaths: ['/metrics'] });
    expect(bodyText(atOnce(open.handler(new FakeIncoming({ target: '/metrics' }))))).toBe('ok');
  });

  it('and authentication count their results', () => {
    const registry = new MetricRegistry();
    const metrics = registerServerMetrics(registry);
    const { handler } = testChain({
      metrics,
      authenticate: ({ target }) =>
        target === '/a'
          ? { outcome: 'none' }
          : target === '/b'
            ? { outcome: 'failed', message: '' }
            : { outcome: 'ok', user: bob },
      authorizer: {
        authorize: ({ path }) => ({
          decision: path === '/c' ? 'deny' : path === '/d' ? 'no-opinion' : 'allow',
          reason: '',
          error: path === '/e' ? 'x' : '',
        }),
      },
    });
    for (const target of ['/a', '/b', '/c', '/d', '/e', '/f']) atOnce(handler(new FakeIncoming({ target })));
    const text = registry.print();
    for (const line of [
      'authentication_attempts{result="success"} 4',
      'authentication_attempts{result="failure"} 1',
      'authentication_attempts{result="error"} 1',
      'authorization_attempts_total{result="allowed"} 2',
      'authorization_attempts_total{result="denied"} 1',
      'authorization_attempts_total{result="no-opinion"} 1',
    ])
      expect(text).toContain(`${line}\n`);
  });
});

describe('authorizers', () => {
  it('that need no policy', () => {
    expect(ALWAYS_ALLOW.authorize(asked('/x'))).toMatchObject({ decision: 'allow' });
    expect(ALWAYS_DENY.authorize(asked('/x'))).toEqual({
      decision: 'no-opinion',
      reason: 'Everything is forbidden.',
      error: '',
    });
  });

  it('for paths match exact paths and prefixes, and have no opinion on resources', () => {
    const decisions = pathsAuthorizer(['/healthz', 'openapi/*', '/', '/api/*']);
    const decide = (target: string) => (decisions.authorize(asked(target)) as AuthorizationResult).decision;
    expect(['/healthz', '/healthz/x', '/openapi/v3', '/openapi', '/', '/api/v1/pods'].map(decide)).toEqual([
      'allow',
      'no-opinion',
      'allow',
      'no-opinion',
      'allow',
      'no-opinion',
    ]);
    expect(() => pathsAuthorizer(['/a*b'])).toThrow('only trailing * allowed in "a*b"');
  });

  it('of groups', () => {
    const of = (groups: readonly string[]) =>
      (
        privilegedGroupsAuthorizer(['a', 'b']).authorize({
          ...asked('/x'),
          user: userNamed('u', groups),
        }) as AuthorizationResult
      ).decision;
    expect([of(['c', 'b']), of(['c']), of([])]).toEqual(['allow', 'no-opinion', 'no-opinion']);
  });

  it('in a union decide in order, and their reasons are joined if none decides', async () => {
    const deny = fixed({ decision: 'deny', reason: 'no' });
    const allow = fixed({ decision: 'allow', reason: 'yes' });
    const unsure = fixed({ reason: 'r1', error: 'e1' });
    const slow: Authorizer = { authorize: async () => ({ decision: 'no-opinion', reason: 'r2', error: 'e2' }) };
    expect(unionAuthorizer([unsure, deny, allow]).authorize(asked('/x'))).toMatchObject({
      decision: 'deny',
      reason: 'no',
    });
    expect(await unionAuthorizer([slow, allow, deny]).authorize(asked('/x'))).toMatchObject({ reason: 'yes' });
    expect(
      await unionAuthorizer([unsure, fixed({}), slow, fixed({ reason: 'r3', error: 'e3' })]).authorize(asked('/x')),
    ).toEqual({
      decision: 'no-opinion',
      reason: 'r1\nr2\nr3',
      error: '[e1, e2, e3]',
    });
    expect(unionAuthorizer([]).authorize(asked('/x'))).toMatchObject({ decision: 'no-opinion', reason: '' });
  });

  it('in a union list all rules, and are incomplete if one cannot list its own', async () => {
    const rules = await unionAuthorizer([privilegedGroupsAuthorizer(['a']), ALWAYS_ALLOW]).rulesFor?.(bob, 'ns');
    expect(rules).toMatchObject({ resourceRules: [{ verbs: ['*'] }], incomplete: false, error: '' });
    expect(await unionAuthorizer([ALWAYS_ALLOW, fixed({})]).rulesFor?.(bob, 'ns')).toMatchObject({ incomplete: true });
  });
});
