/** The lines about what a snapshot contains and what of it cannot be shown. */
import type { SnapshotReport, Undecodable } from '../controlplane/snapshot-store.ts';

/** How many keys are named for one reason. */
const NAMED_KEYS = 10;

export function reportLines(report: SnapshotReport): readonly string[] {
  const { revision, objects, undecodable, unserved, foreignKeys } = report;
  const lines = [`It has ${objects} objects at revision ${revision}.`];
  if (foreignKeys > 0) lines.push(`${foreignKeys} keys are not below the prefix of --etcd-prefix and are left out.`);
  for (const { resource, objects: count } of unserved)
    lines.push(`Not served: ${count} objects of ${resource}, because the snapshot has no definition of it.`);
  if (undecodable.length > 0) lines.push(`${undecodable.length} objects cannot be shown:`);
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
