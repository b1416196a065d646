/**
 * The check of a namespace's existing pods against a stricter level. One warning line covers all pods with the same
 * violations and has the first of their names. One pod per controller is checked before all others, because the pods of
 * a controller are usually alike.
 */
import { nameOf, ownerReferencesOf } from '../../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { formatReasons, violationsOf } from './evaluate.ts';
import { formatPolicy, type LevelVersion } from './policy.ts';

export interface ExistingPods {
  readonly pods: readonly JsonObject[];
  /** The number of pods in the namespace, including those that were not read. */
  readonly total: number;
}

/** Returns the warnings. Calls `isLate` after each pod; true ends the check. */
export function warningsAboutPods(
  namespace: string,
  enforce: LevelVersion,
  { pods, total }: ExistingPods,
  isLate: () => boolean,
): readonly string[] {
  const found = new Map<string, { first: string; count: number }>();
  let checked = 0;
  for (const pod of firstOfEachController(pods)) {
    const violations = violationsOf(enforce, pod);
    if (violations.length > 0) count(found, formatReasons(violations), nameOf(pod));
    checked++;
    if (isLate()) break;
  }
  const warnings: string[] = [];
  if (checked < total)
    warnings.push(`new PodSecurity enforce level only checked against the first ${checked} of ${total} existing pods`);
  if (found.size > 0)
    warnings.push(
      `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatPolicy(enforce)}"`,
    );
  return [...warnings, ...[...found].map(([reasons, pods]) => `${formatPods(pods)}: ${reasons}`).sort()];
}

function count(found: Map<string, { first: string; count: number }>, reasons: string, name: string): void {
  const known = found.get(reasons);
  if (known === undefined) found.set(reasons, { first: name, count: 1 });
  else {
    known.count++;
    if (name < known.first) known.first = name;
  }
}

function formatPods({ first, count }: { readonly first: string; readonly count: number }): string {
  if (count === 1) return first;
  return count === 2 ? `${first} (and 1 other pod)` : `${first} (and ${count - 1} other pods)`;
}

function firstOfEachController(pods: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<string>();
  const first: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const pod of pods) {
    const controller = ownerReferencesOf(pod).find((owner) => owner.controller === true)?.uid;
    if (controller === undefined || !seen.has(controller)) first.push(pod);
    else others.push(pod);
    if (controller !== undefined) seen.add(controller);
  }
  return [...first, ...others];
}
