/**
 * The conditions of a namespace that is being deleted, with the types, reasons and messages of
 * kubernetes/pkg/controller/namespace/deletion/status_condition_utils.go (1.36).
 */

import type { DeepReadonly } from '../../client/object-types.ts';
import type { NamespaceCondition } from '../../kinds/api/core/v1.ts';

/** The outcome of one attempt to empty a namespace. */
export interface ContentOutcome {
  /** Group-versions, as `group/version`, whose server is unavailable. */
  readonly unavailable: readonly string[];
  /** Messages of failed deletions. */
  readonly failures: readonly string[];
  /** The remaining objects. Undefined if they were not counted, because pods remain. */
  readonly remaining: RemainingContent | undefined;
}

export interface RemainingContent {
  /**
   * The number of objects by `plural.group`. The key of a core resource ends in the dot, as in kube-controller-manager.
   */
  readonly resources: ReadonlyMap<string, number>;
  /** The number of objects with each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Wanted {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a namespace without problems, in the order in which they are added. */
const FINE: ReadonlyMap<string, Wanted> = new Map([
  ['NamespaceDeletionDiscoveryFailure', fine('ResourcesDiscovered', 'All resources successfully discovered')],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    fine('ParsedGroupVersions', 'All legacy kube types successfully parsed'),
  ],
  [
    'NamespaceDeletionContentFailure',
    fine('ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
  ],
  ['NamespaceContentRemaining', fine('ContentRemoved', 'All content successfully removed')],
  ['NamespaceFinalizersRemaining', fine('ContentHasNoFinalizers', 'All content-preserving finalizers finished')],
]);

/**
 * Returns the conditions with those of the deletion added or changed, and undefined if nothing changes. Other
 * conditions are kept. `now` is the transition time of a condition whose status changes.
 */
export function withDeletionConditions(
  present: DeepReadonly<NamespaceCondition[]>,
  outcome: ContentOutcome,
  now: string,
): DeepReadonly<NamespaceCondition>[] | undefined {
  const wanted = wantedConditions(outcome);
  const conditions = [...present];
  let changed = false;
  for (const [type, want] of wanted) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[index];
    if (old?.status === want.status && old.reason === want.reason && old.message === want.message) continue;
    changed = true;
    if (old === undefined) conditions.push({ type, lastTransitionTime: now, ...want });
    else conditions[index] = { ...old, ...want, ...(old.status !== want.status && { lastTransitionTime: now }) };
  }
  return changed ? conditions : undefined;
}

function wantedConditions({ unavailable, failures, remaining }: ContentOutcome): ReadonlyMap<string, Wanted> {
  const wanted = new Map(FINE);
  if (unavailable.length > 0)
    wanted.set('NamespaceDeletionDiscoveryFailure', problem('DiscoveryFailed', discoveryMessage(unavailable)));
  if (failures.length > 0) {
    const message = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
    wanted.set('NamespaceDeletionContentFailure', problem('ContentDeletionFailed', message));
  }
  if (remaining !== undefined && remaining.resources.size > 0) {
    const list = counted(remaining.resources, (name, count) => `${name} has ${count} resource instances`);
    wanted.set('NamespaceContentRemaining', problem('SomeResourcesRemain', `Some resources are remaining: ${list}`));
  }
  if (remaining !== undefined && remaining.finalizers.size > 0) {
    const list = counted(remaining.finalizers, (name, count) => `${name} in ${count} resource instances`);
    const message = `Some content in the namespace has finalizers remaining: ${list}`;
    wanted.set('NamespaceFinalizersRemaining', problem('SomeFinalizersRemain', message));
  }
  return wanted;
}

/**
 * Returns the error message of client-go about stale groups in aggregated discovery, with the names of the APIServices.
 */
export function discoveryFailure(unavailable: readonly string[]): string {
  const groups = [...unavailable].sort().map((name) => {
    const [group, version] = name.split('/');
    return `${name}: stale GroupVersion discovery: ${name} (APIService ${version}.${group})`;
  });
  return `unable to retrieve the complete list of server APIs: ${groups.join(', ')}`;
}

function discoveryMessage(unavailable: readonly string[]): string {
  return `Discovery failed for some groups, ${unavailable.length} failing: ${discoveryFailure(unavailable)}`;
}

function counted(counts: ReadonlyMap<string, number>, show: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => show(name, count))
    .sort()
    .join(', ');
}

function fine(reason: string, message: string): Wanted {
  return { status: 'False', reason, message };
}

function problem(reason: string, message: string): Wanted {
  return { status: 'True', reason, message };
}
