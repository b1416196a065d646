/**
 * The priorities of the built-in groups and versions, which order them in discovery. The numbers equal those of the
 * reference's APIServices.
 */
import type { GroupVersion } from '../apimachinery/meta/gvk.ts';
import { BugError } from '../base/errors.ts';

const PRIORITIES: Readonly<
  Record<string, { readonly group: number; readonly versions: Readonly<Record<string, number>> }>
> = {
  '': { group: 18_000, versions: { v1: 1 } },
  apps: { group: 17_800, versions: { v1: 15 } },
  'events.k8s.io': { group: 17_750, versions: { v1: 15 } },
  'authentication.k8s.io': { group: 17_700, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'authorization.k8s.io': { group: 17_600, versions: { v1: 15 } },
  autoscaling: { group: 17_500, versions: { v2: 30, v1: 15 } },
  batch: { group: 17_400, versions: { v1: 15 } },
  'certificates.k8s.io': { group: 17_300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'networking.k8s.io': { group: 17_200, versions: { v1: 15, v1beta1: 9 } },
  policy: { group: 17_100, versions: { v1: 15 } },
  'rbac.authorization.k8s.io': { group: 17_000, versions: { v1: 15 } },
  'storage.k8s.io': { group: 16_800, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'admissionregistration.k8s.io': { group: 16_700, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  'scheduling.k8s.io': { group: 16_600, versions: { v1: 15, v1alpha2: 2 } },
  'coordination.k8s.io': { group: 16_500, versions: { v1: 15, v1beta1: 13, v1alpha2: 12 } },
  'node.k8s.io': { group: 16_300, versions: { v1: 15 } },
  'discovery.k8s.io': { group: 16_200, versions: { v1: 15 } },
  'resource.k8s.io': { group: 16_200, versions: { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 } },
  'flowcontrol.apiserver.k8s.io': { group: 16_100, versions: { v1: 21 } },
  'internal.apiserver.k8s.io': { group: 16_000, versions: { v1alpha1: 9 } },
  'storagemigration.k8s.io': { group: 15_800, versions: { v1beta1: 9 } },
  // Not among those of the reference's table: the aggregator's own.
  'apiregistration.k8s.io': { group: 20_000, versions: { v1: 1_000 } },
};

/** Throws BugError for a group that is not in the table. */
export function groupPriority(group: string): number {
  return entryOf(group).group;
}

/** Throws BugError for a version that is not in the table. */
export function versionPriority({ group, version }: GroupVersion): number {
  const priority = entryOf(group).versions[version];
  if (priority === undefined) throw new BugError(`version ${version} of group ${group} has no priority`);
  return priority;
}

function entryOf(group: string) {
  const entry = PRIORITIES[group];
  if (entry === undefined) throw new BugError(`group ${group} has no priority`);
  return entry;
}
