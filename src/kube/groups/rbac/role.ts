/** The kind Role. */
import { CREATED_AT, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { guardRoles } from '../../rbac/escalation-guard.ts';
import { RBAC_GROUP } from '../../rbac/policy.ts';
import type { RbacAuthorizer } from '../../rbac/rbac-authorizer.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateRole, validateRoleUpdate } from './validate-rbac.ts';

/** The columns of Roles and ClusterRoles. */
export const roleTable: () => TableDefinition = tableOf(NAME, CREATED_AT);

export function roleResource(rbac: RbacAuthorizer): KubeResource {
  return {
    definition: storedResource({
      plural: 'roles',
      scope: 'Namespaced',
      versions: [builtInVersion({ group: RBAC_GROUP, version: 'v1', kind: 'Role', table: roleTable })],
      strategy: strategyWithDefaults({
        allowCreateOnUpdate: true,
        validate: validateRole,
        validateUpdate: validateRoleUpdate,
      }),
    }),
    wrapStore: ({ store }, context) => guardRoles(store, 'roles', { authorizer: context.authorizer, rbac }),
  };
}
