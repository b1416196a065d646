/**
 * The group-versions of the golden files that our tables do not have, because kube-apiserver of this release serves
 * them under no setting. Invariant: a group-version is either here or in the tables.
 */
const LEFT_OUT = new Set([
  'apps/v1beta1',
  'apps/v1beta2',
  'authorization.k8s.io/v1beta1',
  'batch/v1beta1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'extensions/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'imagepolicy.k8s.io/v1alpha1',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1beta1',
  'scheduling.k8s.io/v1beta1',
  'storage.k8s.io/v1alpha1',
]);

export function isLeftOut(group: string, version: string): boolean {
  return LEFT_OUT.has(`${group}/${version}`);
}
