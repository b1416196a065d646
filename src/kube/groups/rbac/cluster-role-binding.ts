/** The kind ClusterRoleBinding. */

import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { KubeResource } from '../../kube-context.ts';
import { guardBindings } from '../../rbac/escalation-guard.ts';
import { RBAC_GROUP } from '../../rbac/policy.ts';
import type { RbacAuthorizer } from '../../rbac/rbac-authorizer.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { bindingTable, setBindingDefaults } from './binding-rules.ts';
import { validateClusterRoleBinding, validateClusterRoleBindingUpdate } from './validate-rbac.ts';

export function clusterRoleBindingResource(rbac: RbacAuthorizer): KubeResource {
  return {
    definition: storedResource({
      plural: 'clusterrolebindings',
      scope: 'Cluster',
      versions: [
        builtInVersion({
          group: RBAC_GROUP,
          version: 'v1',
          kind: 'ClusterRoleBinding',
          setDefaults: setBindingDefaults,
          table: bindingTable,
        }),
      ],
      strategy: strategyWithDefaults({
        allowCreateOnUpdate: true,
        validate: validateClusterRoleBinding,
        validateUpdate: validateClusterRoleBindingUpdate,
      }),
    }),
    wrapStore: ({ store }, context) =>
      guardBindings(store, 'clusterrolebindings', { authorizer: context.authorizer, rbac }),
  };
}
