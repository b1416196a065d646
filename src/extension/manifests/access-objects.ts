/**
 * The namespace of an extension server, its ServiceAccount, and its RBAC objects: the permissions of the server at its
 * parent, and the roles of users for its resources.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition } from '../../server/resource/resource-definition.ts';
import type { ServiceNames } from './service-names.ts';

const RBAC = 'rbac.authorization.k8s.io';
const READ: readonly string[] = ['get', 'list', 'watch'];
const WRITE: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * The objects of the parent that admission reads: namespaces, and the webhooks and policies that an extension server
 * has to run itself, because the aggregator runs no admission.
 */
const ADMISSION_RULES: readonly JsonObject[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: [...READ] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [
      'mutatingwebhookconfigurations',
      'validatingwebhookconfigurations',
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ],
    verbs: [...READ],
  },
];

export function accessObjects(names: ServiceNames, resources: readonly ResourceDefinition[]): readonly JsonObject[] {
  const { namespace, name } = names;
  // The names of cluster-scoped objects include the namespace, so that servers with the same name in two namespaces do
  // not collide.
  const scoped = `${namespace}:${name}`;
  const account = { kind: 'ServiceAccount', namespace, name };
  const admins = resourceRules(resources, [...READ, ...WRITE]);
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } },
    clusterRole(`${scoped}-server`, [...ADMISSION_RULES, ...admins]),
    clusterRoleBinding(`${scoped}-server`, `${scoped}-server`, account),
    clusterRoleBinding(`${scoped}-auth-delegator`, 'system:auth-delegator', account),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { namespace: 'kube-system', name: `${scoped}-auth-reader` },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
      subjects: [account],
    },
    // These roles are aggregated to the default user roles: `edit` and `admin` may write the resources, `view` may read
    // them.
    clusterRole(`${scoped}-edit`, admins, ['admin', 'edit']),
    clusterRole(`${scoped}-view`, resourceRules(resources, READ), ['view']),
  ];
}

/** Returns one rule per group, for its resources and their subresources. */
function resourceRules(resources: readonly ResourceDefinition[], verbs: readonly string[]): readonly JsonObject[] {
  const byGroup = new Map<string, Set<string>>();
  for (const { plural, versions, subresources } of resources)
    for (const { group } of versions) {
      const names = byGroup.get(group) ?? new Set<string>();
      byGroup.set(group, names.add(plural));
      for (const { name } of subresources) names.add(`${plural}/${name}`);
    }
  return [...byGroup].map(([group, names]) => ({ apiGroups: [group], resources: [...names], verbs: [...verbs] }));
}

function clusterRole(name: string, rules: readonly JsonObject[], aggregateTo: readonly string[] = []): JsonObject {
  const labels = Object.fromEntries(aggregateTo.map((role) => [`${RBAC}/aggregate-to-${role}`, 'true']));
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, ...(aggregateTo.length > 0 && { labels }) },
    rules: [...rules],
  };
}

function clusterRoleBinding(name: string, role: string, subject: JsonObject): JsonObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [subject],
  };
}
