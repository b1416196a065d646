/** The kind ClusterRole. */

import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { KubeResource } from '../../kube-context.ts';
import { guardRoles } from '../../rbac/escalation-guard.ts';
import { RBAC_GROUP } from '../../rbac/policy.ts';
import type { RbacAuthorizer } from '../../rbac/rbac-authorizer.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { roleTable } from './role.ts';
import { validateClusterRole, validateClusterRoleUpdate } from './validate-rbac.ts';

export function clusterRoleResource(rbac: RbacAuthorizer): KubeResource {
  return {
    definition: storedResource({
      plural: 'clusterroles',
      scope: 'Cluster',
      versions: [builtInVersion({ group: RBAC_GROUP, version: 'v1', kind: 'ClusterRole', table: roleTable })],
      strategy: strategyWithDefaults({
        allowCreateOnUpdate: true,
        validate: validateClusterRole,
        validateUpdate: validateClusterRoleUpdate,
      }),
    }),
    wrapStore: ({ store }, context) => guardRoles(store, 'clusterroles', { authorizer: context.authorizer, rbac }),
  };
}
