import { describe, expect, it } from 'vitest';
import { aggregateRules } from '../../../apimachinery/rbac/aggregate-rules.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from '../../groups/rbac/validate-rbac.ts';
import { AUTOUPDATE_ANNOTATION, type ClusterRole, nameOf, namespaceOf, type PolicyRule } from '../policy.ts';
import { pathRequestOf, requestOf, userOf } from '../rbac.fixtures.ts';
import { RoleIndex } from '../role-index.ts';
import { rulesAllow } from '../rule-match.fixtures.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { planPolicy, type StoredPolicy } from './plan-policy.ts';

const policy = bootstrapPolicy();

function bootstrapIndex(): RoleIndex {
  const index = new RoleIndex();
  for (const role of policy.clusterRoles) index.applyClusterRole(role);
  for (const role of policy.roles) index.applyRole(role);
  for (const binding of policy.clusterRoleBindings) index.applyClusterRoleBinding(binding);
  for (const binding of policy.roleBindings) index.applyRoleBinding(binding);
  return index;
}

/** The rules of a role after view, edit and admin were aggregated, in this order. */
function aggregatedRules(name: string): readonly PolicyRule[] {
  let roles: readonly ClusterRole[] = policy.clusterRoles;
  for (const step of ['view', 'edit', 'admin']) {
    const role = roles.find((one) => nameOf(one) === step) as ClusterRole;
    const result = aggregateRules(role, roles);
    if (result.outcome === 'changed')
      roles = roles.map((one) => (one === role ? { ...role, rules: result.rules } : one));
  }
  return roles.find((one) => nameOf(one) === name)?.rules ?? [];
}

describe('the bootstrap policy', () => {
  it('has as many objects as the reference, each with its label and annotation', () => {
    const { clusterRoles, clusterRoleBindings, roles, roleBindings } = policy;
    expect([clusterRoles.length, clusterRoleBindings.length, roles.length, roleBindings.length]).toEqual([
      69, 50, 7, 7,
    ]);
    for (const object of [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings]) {
      expect(object.metadata?.labels).toMatchObject({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
      expect(object.metadata?.annotations).toEqual({ [AUTOUPDATE_ANNOTATION]: 'true' });
    }
  });

  it('passes validation and has unique names', () => {
    expect(policy.clusterRoles.flatMap((role) => validateClusterRole(role))).toEqual([]);
    expect(policy.clusterRoleBindings.flatMap((binding) => validateClusterRoleBinding(binding))).toEqual([]);
    expect(policy.roles.flatMap((role) => validateRole(role))).toEqual([]);
    expect(policy.roleBindings.flatMap((binding) => validateRoleBinding(binding))).toEqual([]);
    const { clusterRoles, clusterRoleBindings, roles, roleBindings } = policy;
    for (const list of [clusterRoles, clusterRoleBindings, roles, roleBindings]) {
      const keys = [...list].map((one) => `${namespaceOf(one)}/${nameOf(one)}`);
      expect(new Set(keys).size).toBe(list.length);
    }
  });

  it('binds only existing roles', () => {
    const index = bootstrapIndex();
    for (const binding of [...policy.clusterRoleBindings, ...policy.roleBindings])
      expect(index.resolveRole(binding.roleRef ?? {}, namespaceOf(binding))).toHaveProperty('rules');
  });

  it('expands a rule, a subject and a selector to the objects that the reference stores', () => {
    const find = <T extends { metadata?: { name?: string | undefined } | undefined }>(
      list: readonly T[],
      name: string,
    ) => list.find((one) => one.metadata?.name === name);
    expect(find(policy.roles, 'extension-apiserver-authentication-reader')?.rules).toEqual([
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['extension-apiserver-authentication'],
      },
    ]);
    expect(find(policy.clusterRoleBindings, 'system:controller:job-controller')?.subjects).toEqual([
      { kind: 'ServiceAccount', name: 'job-controller', namespace: 'kube-system' },
    ]);
    expect(find(policy.clusterRoleBindings, 'system:node')).not.toHaveProperty('subjects');
    expect(find(policy.clusterRoles, 'edit')).toMatchObject({
      metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } },
      rules: null,
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
      },
    });
  });
});

describe('the bootstrap policy allows', () => {
  const index = bootstrapIndex();
  const allows = (request: ReturnType<typeof requestOf>) => index.authorize(request).decision === 'allow';

  it('everything to system:masters', () => {
    const root = userOf('root', 'system:masters');
    expect(index.authorize(requestOf(root, { verb: 'x', resource: 'y' })).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "cluster-admin" of ClusterRole "cluster-admin" to Group "system:masters"',
    );
    expect(allows(pathRequestOf(root, '/anything', 'post'))).toBe(true);
  });

  it('health checks to everyone, and discovery to authenticated users', () => {
    const anonymous = userOf('system:anonymous', 'system:unauthenticated');
    const known = userOf('ada', 'system:authenticated');
    expect([allows(pathRequestOf(anonymous, '/healthz')), allows(pathRequestOf(anonymous, '/api'))]).toEqual([
      true,
      false,
    ]);
    expect([allows(pathRequestOf(known, '/apis/apps/v1')), allows(requestOf(known))]).toEqual([true, false]);
    const review = { verb: 'create', apiGroup: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' };
    expect([allows(requestOf(known, review)), allows(requestOf(anonymous, review))]).toEqual([true, false]);
  });

  it('no secrets to viewers, no roles to editors, both to admins', () => {
    const secrets = requestOf(userOf('ada'), { resource: 'secrets' });
    const roles = requestOf(userOf('ada'), {
      resource: 'roles',
      apiGroup: 'rbac.authorization.k8s.io',
      verb: 'create',
    });
    const may = (name: string) => [
      rulesAllow(secrets, aggregatedRules(name)),
      rulesAllow(roles, aggregatedRules(name)),
    ];
    expect([may('view'), may('edit'), may('admin')]).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });
});

describe('the startup plan', () => {
  const stored = (objects: readonly { object: { kind?: string } }[]): StoredPolicy => {
    const all = new Map(
      objects.map(({ object }) => [`${object.kind}/${namespaceOf(object)}/${nameOf(object)}`, object]),
    );
    const get = (kind: string, namespace: string, name: string) => all.get(`${kind}/${namespace}/${name}`) as undefined;
    return {
      clusterRole: (name) => get('ClusterRole', '', name),
      clusterRoleBinding: (name) => get('ClusterRoleBinding', '', name),
      role: (namespace, name) => get('Role', namespace, name),
      roleBinding: (namespace, name) => get('RoleBinding', namespace, name),
    };
  };

  it('creates everything on an empty server, roles first, and nothing on the next start', () => {
    const first = planPolicy(policy, stored([]));
    expect(first.writes).toHaveLength(69 + 50 + 7 + 7);
    expect(new Set(first.writes.map((step) => step.operation))).toEqual(new Set(['create']));
    expect(first.writes[0]?.object.kind).toBe('ClusterRole');
    expect(planPolicy(policy, stored(first.writes))).toEqual({ writes: [], skipped: [] });
  });

  it('restores removed rules, unless the object is protected', () => {
    const objects = planPolicy(policy, stored([])).writes.map(({ object }) => ({ object }));
    const change = (name: string, metadata: object) =>
      objects.map(({ object }) =>
        object.kind === 'ClusterRole' && nameOf(object) === name
          ? { object: { ...object, metadata: { ...object.metadata, ...metadata }, rules: [] } }
          : { object },
      );
    const { writes, skipped } = planPolicy(policy, stored(change('system:discovery', {})));
    expect([writes.map((step) => nameOf(step.object)), skipped]).toEqual([['system:discovery'], []]);
    const optOut = { annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } };
    const second = planPolicy(policy, stored(change('system:discovery', optOut)));
    expect([second.writes.length, second.skipped.length]).toEqual([0, 1]);
  });

  it('adds missing subjects to a binding that was split from another, unless the copy is protected', () => {
    const name = 'system:public-info-viewer';
    const objects = planPolicy(policy, stored([])).writes.filter(({ object }) => nameOf(object) !== name);
    const withSource = (value: string) =>
      objects.map(({ object }) =>
        object.kind === 'ClusterRoleBinding' && nameOf(object) === 'system:discovery'
          ? { object: { ...object, metadata: { ...object.metadata, annotations: { [AUTOUPDATE_ANNOTATION]: value } } } }
          : { object },
      );
    // The role of the same name is missing, too.
    const find = (value: string) => {
      const { writes, skipped } = planPolicy(policy, stored(withSource(value)));
      const binding = writes.find(({ object }) => object.kind === 'ClusterRoleBinding');
      return [writes.map(({ operation }) => operation), binding?.object, skipped.length];
    };
    const [known, unknown] = ['authenticated', 'unauthenticated'].map((group) => ({ name: `system:${group}` }));
    expect(find('true')).toMatchObject([['create', 'create'], { subjects: [known, unknown] }, 0]);
    expect(find('false')).toMatchObject([['create', 'create'], { subjects: [known] }, 1]);
  });
});
