/** Objects and requests for the tests of this folder. */
import type { Arbitrary } from 'fast-check';
import fc from 'fast-check';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { RequestAttributes } from '../../server/authorizer.ts';
import { type ClusterRoleBinding, type PolicyRule, RBAC_GROUP, type Subject } from './policy.ts';

export function userOf(name: string, ...groups: readonly string[]): UserInfo {
  return { name, uid: '', groups, extra: {} };
}

/** The attributes of a resource request: `get pods` with the given changes. */
export function requestOf(user: UserInfo, parts: Partial<RequestAttributes> = {}): RequestAttributes {
  return {
    user,
    verb: 'get',
    namespace: '',
    apiGroup: '',
    apiVersion: 'v1',
    resource: 'pods',
    subresource: '',
    name: '',
    path: '',
    isResourceRequest: true,
    ...parts,
  };
}

/** The attributes of a non-resource request. */
export function pathRequestOf(user: UserInfo, path: string, verb = 'get'): RequestAttributes {
  return requestOf(user, { verb, resource: '', path, isResourceRequest: false });
}

export function toUser(name: string): Subject {
  return { kind: 'User', apiGroup: RBAC_GROUP, name };
}

export function toGroup(name: string): Subject {
  return { kind: 'Group', apiGroup: RBAC_GROUP, name };
}

export function clusterBinding(name: string, role: string, ...subjects: readonly Subject[]): ClusterRoleBinding {
  return { metadata: { name }, subjects, roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role } };
}

const VERBS = ['get', 'list', 'create', '*'];
const GROUPS = ['', 'apps', '*'];
const RESOURCES = ['pods', 'pods/log', '*', '*/scale', 'deployments', 'deployments/scale', '*/log'];
const NAMES = ['a', 'b'];
const URLS = ['/api', '/api/*', '*', '/healthz', '/a**', '/*', ''];

const some = (values: readonly string[]): Arbitrary<string[]> => fc.array(fc.constantFrom(...values), { maxLength: 3 });

/** Generates rules over a small set of values, including some that validation would refuse. */
export const anyRule: Arbitrary<PolicyRule> = fc.oneof(
  fc.record({ verbs: some(VERBS), apiGroups: some(GROUPS), resources: some(RESOURCES), resourceNames: some(NAMES) }),
  fc.record({ verbs: some(VERBS), apiGroups: some(GROUPS), resources: some(RESOURCES) }),
  fc.record({ verbs: some(VERBS), nonResourceURLs: some(URLS) }),
  fc.record({ verbs: some(VERBS), apiGroups: some(GROUPS), resources: some(RESOURCES), nonResourceURLs: some(URLS) }),
);

/** Generates requests over the same small set of values. */
export function anyRequest(user: UserInfo): Arbitrary<RequestAttributes> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        user: fc.constant(user),
        verb: fc.constantFrom('get', 'list', 'delete'),
        namespace: fc.constantFrom('', 'n1', 'n2'),
        apiGroup: fc.constantFrom('', 'apps', 'x'),
        resource: fc.constantFrom('pods', 'deployments'),
        subresource: fc.constantFrom('', 'log', 'scale'),
        name: fc.constantFrom('', 'a', 'z'),
        apiVersion: fc.constant('v1'),
        path: fc.constant(''),
        isResourceRequest: fc.constant(true),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/api', '/api/v1', '/healthz', '/', '').map((path) => pathRequestOf(user, path)),
    },
  );
}
