/** The report of `keelson open`: how many objects a snapshot contains, and which of them are not served. */
import { count } from '../base/count.ts';
import type { SnapshotReport, Undecodable } from '../controlplane/snapshot-store.ts';

/** The largest number of keys that the report names for one reason. */
const NAMED_KEYS = 10;

export function reportLines(report: SnapshotReport): readonly string[] {
  const { revision, objects, undecodable, unserved, foreignKeys } = report;
  const lines = [`It has ${count(objects, 'object')} at revision ${revision}.`];
  if (foreignKeys > 0) lines.push(`Left out: ${count(foreignKeys, 'key')} outside of the prefix of --etcd-prefix.`);
  for (const { resource, objects: unshown } of unserved)
    lines.push(`Not served: ${count(unshown, 'object')} of ${resource}, because the snapshot has no definition of it.`);
  if (undecodable.length > 0) lines.push(`${count(undecodable.length, 'object')} cannot be shown:`);
  for (const [reason, keys] of byReason(undecodable)) {
    lines.push(`  ${reason}:`);
    for (const key of keys.slice(0, NAMED_KEYS)) lines.push(`    ${key}`);
    if (keys.length > NAMED_KEYS) lines.push(`    and ${keys.length - NAMED_KEYS} more`);
  }
  return lines;
}

function byReason(undecodable: readonly Undecodable[]): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, string[]>();
  for (const { key, reason } of undecodable) {
    const keys = reasons.get(reason);
    if (keys === undefined) reasons.set(reason, [key]);
    else keys.push(key);
  }
  return reasons;
}
