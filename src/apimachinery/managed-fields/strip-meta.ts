/** Fields that no manager owns: the type and what the server sets in metadata. */

import type { Managers, VersionedSet } from '../apply/managers.ts';
import { EMPTY_SET, equalSets, fieldSetOf } from '../field-set/field-set.ts';
import { difference } from '../field-set/set-algebra.ts';

/** Names below `metadata`. */
export const STRIPPED_METADATA: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]);

const STRIPPED = fieldSetOf(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...Array.from(STRIPPED_METADATA, (name) => ['metadata', name]),
);

/**
 * Strips the set of one manager, in place; a manager without any other field is dropped. `before` is reused if it has
 * the same fields.
 */
export function stripMeta(managers: Managers, identifier: string, before: VersionedSet | undefined): void {
  const versioned = managers.get(identifier);
  if (versioned === undefined) return;
  const set = difference(versioned.set, STRIPPED);
  if (set === EMPTY_SET) managers.delete(identifier);
  else managers.set(identifier, reuse({ ...versioned, set }, before));
}

function reuse(versioned: VersionedSet, before: VersionedSet | undefined): VersionedSet {
  const isSame =
    before !== undefined &&
    before.applied === versioned.applied &&
    before.apiVersion === versioned.apiVersion &&
    equalSets(before.set, versioned.set);
  return isSame ? before : versioned;
}
