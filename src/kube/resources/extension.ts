/** admissionregistration.k8s.io and resource.k8s.io. Invariant: how they work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';

export function extensionResources(): readonly KubeResource[] {
  return [];
}
