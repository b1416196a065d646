/**
 * The bound on update managers. Every client that updates an object leaves an entry, so the oldest are merged into one
 * entry per version, called `ancient-changes`. Entries of appliers are not bounded, because merging them would change
 * what they may remove.
 */
import { compareUtf8 } from '../../base/utf8.ts';
import type { VersionedSet } from '../apply/managers.ts';
import { EMPTY_SET } from '../field-set/field-set.ts';
import { unionOf } from '../field-set/set-algebra.ts';
import { compareTimes } from './encode-managed-fields.ts';
import { type EntryDetails, type Managed, managerIdentifier } from './managed.ts';

/** The reference's default (`DefaultMaxUpdateManagers`). */
export const MAX_UPDATE_MANAGERS = 10;

const ANCIENT_CHANGES = 'ancient-changes';

/**
 * Returns the managed fields with at most `max` entries of updates. There may be more, because entries of different
 * versions are not merged.
 */
export function capUpdateManagers(managed: Managed, max: number = MAX_UPDATE_MANAGERS): Managed {
  const updaters: string[] = [];
  for (const [identifier, { applied }] of managed.managers) if (!applied) updaters.push(identifier);
  if (updaters.length <= max) return managed;
  updaters.sort(
    (a, b) => compareTimes(managed.details.get(a)?.time, managed.details.get(b)?.time) || compareUtf8(a, b),
  );
  const buckets = new Map<string, string[]>();
  let count = updaters.length;
  for (const identifier of updaters) {
    if (count <= max) break;
    const { apiVersion } = managed.managers.get(identifier) as VersionedSet;
    const bucket = buckets.get(apiVersion);
    if (bucket === undefined) buckets.set(apiVersion, [identifier]);
    else {
      bucket.push(identifier);
      count--;
    }
  }
  return mergeBuckets(managed, buckets);
}

/**
 * Replaces the given entries of each version by one entry, which includes the existing entry `ancient-changes` of that
 * version.
 */
function mergeBuckets(managed: Managed, buckets: ReadonlyMap<string, readonly string[]>): Managed {
  const managers = new Map(managed.managers);
  const details = new Map(managed.details);
  for (const [apiVersion, merged] of buckets) {
    if (merged.length < 2) continue;
    const identity = bucketIdentity(apiVersion);
    const identifier = managerIdentifier(identity);
    const sets = [...new Set([...merged, identifier])].map((name) => managers.get(name)?.set ?? EMPTY_SET);
    for (const name of merged) managers.delete(name);
    managers.set(identifier, { set: unionOf(sets), apiVersion, applied: false });
    // The time of the entry that was merged last, because it is the most recent.
    details.set(identifier, { identity, time: details.get(merged.at(-1) as string)?.time });
  }
  return { managers, details };
}

function bucketIdentity(apiVersion: string): EntryDetails['identity'] {
  return { manager: ANCIENT_CHANGES, operation: 'Update', apiVersion, subresource: '' };
}
