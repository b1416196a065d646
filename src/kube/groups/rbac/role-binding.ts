/** The kind RoleBinding. */

import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { KubeResource } from '../../kube-context.ts';
import { guardBindings } from '../../rbac/escalation-guard.ts';
import { RBAC_GROUP } from '../../rbac/policy.ts';
import type { RbacAuthorizer } from '../../rbac/rbac-authorizer.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { bindingTable, setBindingDefaults } from './binding-rules.ts';
import { validateRoleBinding, validateRoleBindingUpdate } from './validate-rbac.ts';

export function roleBindingResource(rbac: RbacAuthorizer): KubeResource {
  return {
    definition: storedResource({
      plural: 'rolebindings',
      scope: 'Namespaced',
      versions: [
        builtInVersion({
          group: RBAC_GROUP,
          version: 'v1',
          kind: 'RoleBinding',
          setDefaults: setBindingDefaults,
          table: bindingTable,
        }),
      ],
      strategy: strategyWithDefaults({
        allowCreateOnUpdate: true,
        validate: validateRoleBinding,
        validateUpdate: validateRoleBindingUpdate,
      }),
    }),
    wrapStore: ({ store }, context) => guardBindings(store, 'rolebindings', { authorizer: context.authorizer, rbac }),
  };
}
