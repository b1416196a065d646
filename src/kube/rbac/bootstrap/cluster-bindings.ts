/**
 * The bootstrap ClusterRoleBindings of Kubernetes 1.36.3. Bindings of controllers are derived from CONTROLLER_ROLES.
 */
import type { SubjectFact } from './policy-notation.ts';

/**
 * Subjects by the name of the role, which is also the name of the binding. The binding of system:node has no subjects:
 * the Node authorizer decides for nodes.
 */
export const CLUSTER_BINDINGS: Readonly<Record<string, readonly SubjectFact[]>> = {
  'cluster-admin': ['group:system:masters'],
  'system:monitoring': ['group:system:monitoring'],
  'system:discovery': ['group:system:authenticated'],
  'system:basic-user': ['group:system:authenticated'],
  'system:public-info-viewer': ['group:system:authenticated', 'group:system:unauthenticated'],
  'system:node-proxier': ['user:system:kube-proxy'],
  'system:kube-controller-manager': ['user:system:kube-controller-manager'],
  'system:kube-dns': ['account:kube-dns'],
  'system:kube-scheduler': ['user:system:kube-scheduler'],
  'system:volume-scheduler': ['user:system:kube-scheduler'],
  'system:node': [],
  'system:service-account-issuer-discovery': ['group:system:serviceaccounts'],
};
