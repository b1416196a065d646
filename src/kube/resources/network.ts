/** Services, endpoints, ingress, policies, addresses, nodes. Invariant: how they work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';

export function networkResources(): readonly KubeResource[] {
  return [];
}
