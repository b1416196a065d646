/** Who has which cluster role; those of controllers follow from their names. Invariant: as in the reference 1.36.3. */
import type { SubjectFact } from './facts.ts';

/** By the name of the role, which is that of the binding too. Nobody is bound to system:node: nodes have an authorizer of their own. */
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
