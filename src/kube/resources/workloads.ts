/** What makes pods: apps, batch, ReplicationController, PodTemplate; autoscaling and disruption budgets. Invariant: how they work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';

export function workloadResources(): readonly KubeResource[] {
  return [];
}
