/** rbac.authorization.k8s.io: roles and bindings. Invariant: how they work is in `rules/` and `rbac/`. */
import type { ResourceDefinition } from '../../server/resource/resource-definition.ts';
import { bindingTable, roleTable, setBindingDefaults } from '../groups/rbac/rbac-kinds.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
  validateRoleUpdate,
} from '../groups/rbac/validate-rbac.ts';
import type { KubeResource } from '../kube-context.ts';
import { guardBindings, guardRoles } from '../rbac/escalation-guard.ts';
import { RBAC_GROUP } from '../rbac/policy.ts';
import type { RbacAuthorizer } from '../rbac/rbac-authorizer.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';

/** What may be granted is checked in front of the stores. */
export function rbacResources(rbac: RbacAuthorizer): readonly KubeResource[] {
  return [
    {
      definition: ROLES,
      wrapStore: ({ store }, world) => guardRoles(store, 'roles', { authorizer: world.authorizer(), rbac }),
    },
    {
      definition: ROLE_BINDINGS,
      wrapStore: ({ store }, world) => guardBindings(store, 'rolebindings', { authorizer: world.authorizer(), rbac }),
    },
    {
      definition: CLUSTER_ROLES,
      wrapStore: ({ store }, world) => guardRoles(store, 'clusterroles', { authorizer: world.authorizer(), rbac }),
    },
    {
      definition: CLUSTER_ROLE_BINDINGS,
      wrapStore: ({ store }, world) =>
        guardBindings(store, 'clusterrolebindings', { authorizer: world.authorizer(), rbac }),
    },
  ];
}

const RBAC = { group: RBAC_GROUP, version: 'v1' } as const;
const RBAC_STRATEGY = { allowCreateOnUpdate: true } as const;

const ROLES: ResourceDefinition = storedResource({
  plural: 'roles',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...RBAC, kind: 'Role', table: roleTable })],
  strategy: builtInStrategy({ ...RBAC_STRATEGY, validate: validateRole, validateUpdate: validateRoleUpdate }),
});

const CLUSTER_ROLES: ResourceDefinition = storedResource({
  plural: 'clusterroles',
  scope: 'Cluster',
  versions: [builtInVersion({ ...RBAC, kind: 'ClusterRole', table: roleTable })],
  strategy: builtInStrategy({
    ...RBAC_STRATEGY,
    validate: validateClusterRole,
    validateUpdate: validateClusterRoleUpdate,
  }),
});

const ROLE_BINDINGS: ResourceDefinition = storedResource({
  plural: 'rolebindings',
  scope: 'Namespaced',
  versions: [builtInVersion({ ...RBAC, kind: 'RoleBinding', setDefaults: setBindingDefaults, table: bindingTable })],
  strategy: builtInStrategy({
    ...RBAC_STRATEGY,
    validate: validateRoleBinding,
    validateUpdate: validateRoleBindingUpdate,
  }),
});

const CLUSTER_ROLE_BINDINGS: ResourceDefinition = storedResource({
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  versions: [
    builtInVersion({ ...RBAC, kind: 'ClusterRoleBinding', setDefaults: setBindingDefaults, table: bindingTable }),
  ],
  strategy: builtInStrategy({
    ...RBAC_STRATEGY,
    validate: validateClusterRoleBinding,
    validateUpdate: validateClusterRoleBindingUpdate,
  }),
});
