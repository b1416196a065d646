/** Pods and what is done to them. Invariant: how they work is in `rules/pod/`. */
import type { KubeResource } from '../kube-world.ts';

export function podResources(): readonly KubeResource[] {
  return [];
}
