/** In which order discovery shows the groups. Invariant: the numbers are those that the reference registers its own groups with; a group that it does not have is a bug. */
import type { GroupVersion } from '../apimachinery/meta/gvk.ts';
import { BugError } from '../base/errors.ts';

const PRIORITIES: Readonly<
  Record<string, { readonly group: number; readonly versions: Readonly<Record<string, number>> }>
> = {
  '': { group: 18_000, versions: { v1: 1 } },
  'events.k8s.io': { group: 17_750, versions: { v1: 15 } },
  'authentication.k8s.io': { group: 17_700, versions: { v1: 15 } },
  'authorization.k8s.io': { group: 17_600, versions: { v1: 15 } },
  'rbac.authorization.k8s.io': { group: 17_000, versions: { v1: 15 } },
  'coordination.k8s.io': { group: 16_500, versions: { v1: 15 } },
};

export function groupPriority(group: string): number {
  return entryOf(group).group;
}

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
