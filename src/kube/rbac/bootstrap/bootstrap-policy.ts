/**
 * The bootstrap policy: the roles and bindings that a new server contains.
 * Invariant: the objects equal those of kube-apiserver 1.36.3 with default feature gates. Each call makes new objects.
 */
import {
  AUTOUPDATE_ANNOTATION,
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  RBAC_API_VERSION,
  RBAC_GROUP,
  type Role,
  type RoleBinding,
  type Subject,
} from '../policy.ts';
import { CLUSTER_BINDINGS } from './cluster-bindings.ts';
import { COMPONENT_ROLES } from './component-roles.ts';
import { CONTROLLER_ROLES } from './controller-roles.ts';
import { NAMESPACED_BINDINGS, NAMESPACED_ROLES } from './namespaced-roles.ts';
import type { RoleFacts, RuleFact, SubjectFact } from './policy-notation.ts';
import { USER_ROLES } from './user-roles.ts';

export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

/** The roles for users of a namespace. Their rules are aggregated from the roles that have their label. */
const AGGREGATED = ['admin', 'edit', 'view'] as const;
type Aggregated = (typeof AGGREGATED)[number];

/** The aggregated role that selects each role. */
const PART_OF: Readonly<Record<string, Aggregated>> = {
  edit: 'admin',
  view: 'edit',
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
};

const CONTROLLER_PREFIX = 'system:controller:';

/** Returns the whole policy. The rules of admin, edit and view are empty until they are aggregated (aggregation.ts). */
export function bootstrapPolicy(): BootstrapPolicy {
  const roles: Role[] = [];
  const roleBindings: RoleBinding[] = [];
  for (const [namespace, facts] of Object.entries(NAMESPACED_ROLES))
    for (const [name, rules] of Object.entries(facts))
      roles.push({ ...head('Role', name, namespace), rules: rules.map(ruleOf) });
  for (const [namespace, facts] of Object.entries(NAMESPACED_BINDINGS))
    for (const [name, { role, subjects }] of Object.entries(facts))
      roleBindings.push({ ...head('RoleBinding', name, namespace), ...grant(subjects, 'Role', role) });
  return { clusterRoles: clusterRoles(), clusterRoleBindings: clusterRoleBindings(), roles, roleBindings };
}

function clusterRoles(): ClusterRole[] {
  const aggregated = AGGREGATED.map(
    (name): ClusterRole => ({
      ...head('ClusterRole', name),
      rules: null,
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(name)]: 'true' } }] },
    }),
  );
  const plain = (facts: RoleFacts, prefix: string): ClusterRole[] =>
    Object.entries(facts).map(([name, rules]) => ({ ...head('ClusterRole', prefix + name), rules: rules.map(ruleOf) }));
  return [
    ...aggregated,
    ...plain(USER_ROLES, ''),
    ...plain(COMPONENT_ROLES, ''),
    ...plain(CONTROLLER_ROLES, CONTROLLER_PREFIX),
  ];
}

function clusterRoleBindings(): ClusterRoleBinding[] {
  const bind = (name: string, subjects: readonly SubjectFact[]): ClusterRoleBinding => ({
    ...head('ClusterRoleBinding', name),
    ...grant(subjects, 'ClusterRole', name),
  });
  return [
    ...Object.entries(CLUSTER_BINDINGS).map(([name, subjects]) => bind(name, subjects)),
    ...Object.keys(CONTROLLER_ROLES).map((name) => bind(CONTROLLER_PREFIX + name, [`account:${name}`])),
  ];
}

function head<K extends string>(kind: K, name: string, namespace?: string) {
  const part = kind === 'ClusterRole' ? PART_OF[name] : undefined;
  return {
    apiVersion: RBAC_API_VERSION,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? undefined : { namespace }),
      labels: {
        'kubernetes.io/bootstrapping': 'rbac-defaults',
        ...(part === undefined ? undefined : { [aggregationLabel(part)]: 'true' }),
      },
      annotations: { [AUTOUPDATE_ANNOTATION]: 'true' },
    },
  };
}

function aggregationLabel(role: Aggregated): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}

function grant(subjects: readonly SubjectFact[], kind: 'Role' | 'ClusterRole', name: string) {
  return {
    ...(subjects.length === 0 ? undefined : { subjects: subjects.map(subjectOf) }),
    roleRef: { apiGroup: RBAC_GROUP, kind, name },
  };
}

function subjectOf(fact: SubjectFact): Subject {
  const name = fact.slice(fact.indexOf(':') + 1);
  if (fact.startsWith('account:')) return { kind: 'ServiceAccount', name, namespace: 'kube-system' };
  return { kind: fact.startsWith('user:') ? 'User' : 'Group', apiGroup: RBAC_GROUP, name };
}

function ruleOf(fact: RuleFact): PolicyRule {
  const verbs = words(fact[0]);
  if (typeof fact[1] !== 'string') return { verbs, nonResourceURLs: words(fact[1].urls) };
  const [, groups, resources, names] = fact as readonly [string, string, string, string?];
  return {
    verbs,
    apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
    resources: words(resources),
    ...(names === undefined ? undefined : { resourceNames: words(names) }),
  };
}

function words(text: string): string[] {
  return text.split(' ');
}
