/** certificates.k8s.io. Invariant: how its kinds work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';

export function certificateResources(): readonly KubeResource[] {
  return [];
}
