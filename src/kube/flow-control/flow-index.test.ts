import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { parseRequestInfo, type RequestInfo } from '../../server/http/request-info.ts';
import { defaultFlowSchemas, defaultPriorityLevels } from './default-flows.ts';
import { FlowIndex, levelNames } from './flow-index.ts';

function stored({ name, spec }: { readonly name: string; readonly spec: JsonObject }): JsonObject {
  return { metadata: { name, uid: `uid-${name}` }, spec };
}

const SCHEMAS = defaultFlowSchemas().map(stored);
const LEVELS = defaultPriorityLevels().map(stored);

function info(method: string, path: string): RequestInfo {
  const parsed = parseRequestInfo(method, path);
  if (!parsed.ok) throw new Error(`no request: ${path}`);
  return parsed.info;
}

function user(name: string, ...groups: readonly string[]) {
  return { name, uid: '', groups, extra: {} };
}

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/n/leases/l';
const AUTHENTICATED = 'system:authenticated';

describe('FlowIndex', () => {
  const index = new FlowIndex(SCHEMAS, LEVELS);

  it.each([
    ['an admin', user('a', 'system:masters', AUTHENTICATED), 'GET', '/api/v1/nodes', 'exempt', 'exempt'],
    ['a probe', user('x', 'system:unauthenticated'), 'GET', '/readyz', 'probes', 'exempt'],
    ['a single check of a probe', user('x', 'system:unauthenticated'), 'GET', '/readyz/ping', 'probes', 'exempt'],
    ['no probe', user('x', 'system:unauthenticated'), 'POST', '/readyz', 'global-default', 'global-default'],
    ['a person', user('p', AUTHENTICATED), 'GET', '/api/v1/pods', 'global-default', 'global-default'],
    [
      'a node about itself',
      user('n', 'system:nodes'),
      'PUT',
      '/api/v1/nodes/n/status',
      'system-node-high',
      'node-high',
    ],
    ['a node about pods', user('n', 'system:nodes'), 'GET', '/api/v1/pods', 'system-nodes', 'system'],
    [
      'a leader',
      user('system:kube-scheduler', AUTHENTICATED),
      'PUT',
      LEASE,
      'system-leader-election',
      'leader-election',
    ],
    [
      'a would-be leader',
      user('system:kube-scheduler', AUTHENTICATED),
      'DELETE',
      LEASE,
      'kube-scheduler',
      'workload-high',
    ],
    [
      'an account of kube-system',
      user('system:serviceaccount:kube-system:c', 'system:serviceaccounts', AUTHENTICATED),
      'GET',
      '/api/v1/pods',
      'kube-system-service-accounts',
      'workload-high',
    ],
    [
      'an account of another namespace',
      user('system:serviceaccount:kube-system2:c', 'system:serviceaccounts', AUTHENTICATED),
      'GET',
      '/api/v1/pods',
      'service-accounts',
      'workload-low',
    ],
    ['somebody without a group', user('?'), 'GET', '/api/v1/pods', 'catch-all', 'catch-all'],
  ])('matches %s', (_who, who, method, path, schema, level) => {
    const expected = { schemaUid: `uid-${schema}`, priorityLevelUid: `uid-${level}` };
    expect(index.match(who, info(method, path))).toEqual(expected);
    expect(index.match(who, info(method, path))).toEqual(expected);
  });

  it('caches rules by user name and groups', () => {
    expect(index.match(user('same', AUTHENTICATED), info('GET', '/api')).schemaUid).toBe('uid-global-default');
    expect(index.match(user('same', 'system:masters'), info('GET', '/api')).schemaUid).toBe('uid-exempt');
  });

  it('orders schemas of equal precedence by name, and skips those without a level', () => {
    const rules = defaultFlowSchemas().find(({ name }) => name === 'global-default')?.spec['rules'] ?? [];
    const mine = (name: string, level: string): JsonObject =>
      stored({ name, spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: 50, rules } });
    const more = new FlowIndex([...SCHEMAS, mine('b', 'system'), mine('c', 'system'), mine('a', 'gone')], LEVELS);
    expect(more.match(user('p', AUTHENTICATED), info('GET', '/api/v1/pods')).schemaUid).toBe('uid-b');
    expect(levelNames([])).toEqual(new Set(['catch-all', 'exempt']));
  });

  it('has the mandatory schemas even if no object is stored', () => {
    const empty = new FlowIndex([], []);
    expect(empty.match(user('p', AUTHENTICATED), info('GET', '/api'))).toEqual({ schemaUid: '', priorityLevelUid: '' });
  });
});
