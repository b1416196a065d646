/** Limits, quotas, priorities, flow control, certificates and other things of the whole cluster. Invariant: how they work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';

export function clusterResources(): readonly KubeResource[] {
  return [];
}
