/** Volumes, claims and the group storage.k8s.io. Invariant: how they work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';

export function storageResources(): readonly KubeResource[] {
  return [];
}
