/**
 * The bound on update managers. Every client that updates an object leaves an entry, so the oldest are merged into one
 * entry per version, called `ancient-changes`. Entries of appliers are not bounded, because merging them would change
 * what they may remove.
 */
import { compareUtf8 } from '../../base/utf8.ts';
import type { VersionedSet } from '../apply/managers.ts';
import { union } from '../field-set/set-algebra.ts';
import { compareTimes } from './encode-managed-fields.ts';
import { type EntryDetails, type Managed, managerIdentifier } from './managed.ts';

/** The reference's default (`DefaultMaxUpdateManagers`). */
export const MAX_UPDATE_MANAGERS = 10;

const ANCIENT_CHANGES = 'ancient-changes';

/**
 * The managed fields with at most `max` entries of updates, if versions allow: entries of different versions are not
 * merged.
 */
export function capUpdateManagers(managed: Managed, max: number = MAX_UPDATE_MANAGERS): Managed {
  const updaters: string[] = [];
  for (const [identifier, { applied }] of managed.managers) if (!applied) updaters.push(identifier);
  if (updaters.length <= max) return managed;
  updaters.sort(
    (a, b) => compareTimes(managed.details.get(a)?.time, managed.details.get(b)?.time) || compareUtf8(a, b),
  );
  const managers = new Map(managed.managers);
  const details = new Map(managed.details);
  const oldest = new Map<string, string>();
  let count = updaters.length;
  for (const identifier of updaters) {
    if (count <= max) break;
    const versioned = managers.get(identifier) as VersionedSet;
    const first = oldest.get(versioned.apiVersion);
    if (first === undefined) {
      oldest.set(versioned.apiVersion, identifier);
      continue;
    }
    const identity = bucketIdentity(versioned.apiVersion);
    const bucket = managerIdentifier(identity);
    // Without a bucket, the oldest entry becomes the bucket. A bucket that is not the oldest absorbs the oldest entry.
    const into = managers.has(bucket) && identifier !== bucket ? bucket : first;
    const set = union((managers.get(into) as VersionedSet).set, versioned.set);
    managers.delete(into);
    managers.delete(identifier);
    managers.set(bucket, { ...versioned, set });
    oldest.set(versioned.apiVersion, bucket);
    // The time of the entry that was merged last, because it is the most recent.
    details.set(bucket, { identity, time: (details.get(identifier) as EntryDetails).time });
    count--;
  }
  return { managers, details };
}

function bucketIdentity(apiVersion: string): EntryDetails['identity'] {
  return { manager: ANCIENT_CHANGES, operation: 'Update', apiVersion, subresource: '' };
}
