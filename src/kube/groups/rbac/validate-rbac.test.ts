import { describe, expect, it } from 'vitest';
import { type FieldIssue, formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import {
  type Binding,
  type ClusterRole,
  type PolicyRule,
  RBAC_GROUP,
  type Role,
  type Subject,
} from '../../rbac/policy.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
  validateRoleUpdate,
} from './validate-rbac.ts';

const texts = (issues: readonly FieldIssue[]): string[] => issues.map(formatIssue);
const good: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const local = { name: 'r', namespace: 'n1' };
const role = (...rules: PolicyRule[]): Role => ({ metadata: local, rules });
const clusterRole = (...rules: PolicyRule[]): ClusterRole => ({ metadata: { name: 'r' }, rules });
const user: Subject = { kind: 'User', apiGroup: RBAC_GROUP, name: 'ada' };
const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'r' };
const binding = (...subjects: Subject[]): Binding<'RoleBinding'> => ({ metadata: local, subjects, roleRef });
const clusterBindingOf = (...subjects: Subject[]): Binding<'ClusterRoleBinding'> => ({
  metadata: { name: 'b' },
  subjects,
  roleRef,
});

describe('names', () => {
  it('may be any path segment', () => {
    expect(validateClusterRole({ metadata: { name: 'system:node Ü' } })).toEqual([]);
    expect(texts(validateClusterRole({ metadata: { name: 'a/b' } }))).toEqual([
      'metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ]);
    expect(texts(validateClusterRole({ metadata: { name: 'x', generateName: '..' } }))).toEqual([
      'metadata.generateName: Invalid value: "..": may not be \'..\'',
    ]);
  });

  it('of finalizers are known or have a domain', () => {
    const finalizers = ['orphan', 'example.com/x', 'mine'];
    expect(texts(validateClusterRole({ metadata: { name: 'r', finalizers } }))).toEqual([
      'metadata.finalizers[2]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});

describe('rules', () => {
  it('need verbs, groups and resources', () => {
    expect(validateRole(role(good))).toEqual([]);
    expect(texts(validateRole(role(good, {})))).toEqual([
      'rules[1].verbs: Required value: verbs must contain at least one value',
      'rules[1].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[1].resources: Required value: resource rules must supply at least one resource',
    ]);
  });

  it('may have non-resource URLs only in cluster roles and without resources', () => {
    const paths = { verbs: ['get'], nonResourceURLs: ['/a', '/b'] };
    expect(validateClusterRole(clusterRole(paths))).toEqual([]);
    expect(texts(validateRole(role({ ...good, ...paths })))).toEqual([
      'rules[0].nonResourceURLs: Invalid value: ["/a","/b"]: namespaced rules cannot apply to non-resource URLs',
      'rules[0].nonResourceURLs: Invalid value: ["/a","/b"]: rules cannot apply to both regular resources and non-resource URLs',
    ]);
  });

  it('of a role without a namespace are validated too', () => {
    expect(texts(validateRole({ metadata: { name: 'r' }, rules: [{ ...good, verbs: null }] }))).toEqual([
      'metadata.namespace: Required value',
      'rules[0].verbs: Required value: verbs must contain at least one value',
    ]);
  });
});

describe('aggregation', () => {
  const aggregate = (...values: string[]): ClusterRole => ({
    metadata: { name: 'r', resourceVersion: '1' },
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'k', operator: 'In', values }] }] },
  });

  it('needs a valid selector', () => {
    expect(validateClusterRole(aggregate('v'))).toEqual([]);
    expect(texts(validateClusterRole({ metadata: { name: 'r' }, aggregationRule: {} }))).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
    expect(texts(validateClusterRole(aggregate()))).toEqual([
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ]);
  });

  it('accepts invalid label values if the stored role has some', () => {
    const count = (old: ClusterRole) => validateClusterRoleUpdate(aggregate('not a value'), old).length;
    expect(count(aggregate('v'))).toBe(2);
    expect(count(aggregate('not a value'))).toBe(1);
  });
});

describe('bindings', () => {
  it('refer to a role of this group', () => {
    expect(validateRoleBinding({ ...binding(user), roleRef: { ...roleRef, kind: 'Role' } })).toEqual([]);
    expect(
      texts(validateRoleBinding({ metadata: local, roleRef: { apiGroup: 'x', kind: 'Odd', name: 'a%' } })),
    ).toEqual([
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "Odd": supported values: "Role", "ClusterRole"',
      'roleRef.name: Invalid value: "a%": may not contain \'%\'',
    ]);
    expect(
      texts(validateClusterRoleBinding({ metadata: { name: 'b' }, roleRef: { apiGroup: RBAC_GROUP, kind: 'Role' } })),
    ).toEqual([
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'roleRef.name: Required value',
    ]);
  });

  it('have users, groups and service accounts as subjects', () => {
    const robot = { kind: 'ServiceAccount', name: 'robot' };
    expect(validateRoleBinding(binding(user, { ...user, kind: 'Group' }, robot))).toEqual([]);
    expect(texts(validateClusterRoleBinding(clusterBindingOf(user, robot)))).toEqual([
      'subjects[1].namespace: Required value',
    ]);
    expect(
      texts(
        validateRoleBinding(
          binding({ kind: 'User', name: '' }, { ...robot, apiGroup: 'x' }, { kind: 'Odd', name: 'a' }),
        ),
      ),
    ).toEqual([
      'subjects[0].name: Required value',
      'subjects[0].apiGroup: Unsupported value: "": supported values: "rbac.authorization.k8s.io"',
      'subjects[1].apiGroup: Unsupported value: "x": supported values: ""',
      'subjects[2].kind: Unsupported value: "Odd": supported values: "ServiceAccount", "User", "Group"',
    ]);
    expect(texts(validateRoleBinding(binding({ ...robot, name: 'A' })))[0]).toMatch(
      /^subjects\[0\]\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/,
    );
  });
});

describe('updates', () => {
  const stored = { resourceVersion: '1' };

  it('cannot change the roleRef', () => {
    const text =
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"other"}: cannot change roleRef';
    const next = { ...binding(user), metadata: { ...local, ...stored }, roleRef: { ...roleRef, name: 'other' } };
    expect(texts(validateRoleBindingUpdate(next, binding(user)))).toEqual([text]);
    const wide = { ...next, metadata: { name: 'b', ...stored }, kind: 'ClusterRoleBinding' as const };
    expect(texts(validateClusterRoleBindingUpdate(wide, clusterBindingOf(user)))).toEqual([text]);
    expect(validateRoleBindingUpdate({ ...next, roleRef }, binding())).toEqual([]);
  });

  it('are validated like new objects and compared with the stored object', () => {
    const next = { metadata: { ...local, name: 'other' }, rules: [{ ...good, resources: [] }] };
    expect(texts(validateRoleUpdate(next, role(good)))).toEqual([
      'rules[0].resources: Required value: resource rules must supply at least one resource',
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.name: Invalid value: "other": field is immutable',
    ]);
  });
});
