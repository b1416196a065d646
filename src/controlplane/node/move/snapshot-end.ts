/** Snapshot files of etcd as the source and the target of a move. */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { count } from '../../../base/count.ts';
import { ConfigError, toError } from '../../../base/errors.ts';
import { syncFolder } from '../../../storage/lmdb/folder.ts';
import type { WrittenLease } from '../../../storage/snapshot-file/leases.ts';
import { loadSnapshot } from '../../../storage/snapshot-file/load-snapshot.ts';
import type { SnapshotState } from '../../../storage/snapshot-file/read-snapshot.ts';
import { writeSnapshotFile } from '../../../storage/snapshot-file/write-file.ts';
import type { WrittenRevision } from '../../../storage/snapshot-file/write-snapshot.ts';
import {
  byPath,
  byRevision,
  type FinishedTarget,
  leaseSeconds,
  type MovedItem,
  type MovedState,
  type MoveSource,
  type MoveTarget,
  noKeys,
} from './moved-state.ts';

export interface SnapshotEnd {
  readonly path: string;
  /** The prefix of the keys, without a final slash: `/registry`. */
  readonly prefix: string;
  readonly now: () => number;
}

/** A snapshot file, or the folder of a stopped member. */
export function snapshotSource({ path, prefix, now }: SnapshotEnd): MoveSource {
  return {
    name: path,
    prefix,
    read: async () => {
      const { state, warnings } = loadSnapshot(path);
      const items = itemsBelow(state, prefix, now());
      if (items.length === 0) throw new ConfigError(noKeys(path, prefix, state.items[0]?.key));
      const others = state.items.length - items.length + state.unreadableKeys;
      const notes = others === 0 ? [] : [`Left out: ${count(others, 'key')} not below the prefix ${prefix}.`];
      return { revision: state.revision, items, imported: true, notes: [...warnings, ...notes] };
    },
  };
}

function itemsBelow({ items }: SnapshotState, prefix: string, now: number): readonly MovedItem[] {
  const start = `${prefix}/`;
  const below = items.filter(({ key }) => key.startsWith(start));
  return byPath(
    below.map(({ key, value, revision, created, ttlSeconds }) => ({
      path: key.slice(start.length),
      value,
      revision,
      created,
      expires: ttlSeconds === undefined ? 0 : now + ttlSeconds * 1000,
    })),
  );
}

/** A new snapshot file. It appears under its name when it is complete and verified. */
export function snapshotTarget({ path, prefix, now }: SnapshotEnd): MoveTarget {
  const target = resolve(path);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.partial`);
  let revision = 0;
  let expiring = 0;
  return {
    name: path,
    prefix,
    takesPrivateKeys: true,
    check: async () => {
      if (existsSync(target)) throw new ConfigError(`${path} exists already: name another file`);
      if (!existsSync(dirname(target))) throw new ConfigError(`the folder of ${path} does not exist`);
    },
    write: async (state) => {
      ({ revision } = state);
      const { revisions, leases } = encode(state, prefix, now());
      expiring = revisions.filter(({ lease }) => lease !== undefined).length;
      try {
        writeSnapshotFile(draft, revisions, { compacted: revision, leases });
      } catch (caught) {
        throw new ConfigError(`cannot write ${path}: ${toError(caught).message}`, { cause: caught });
      }
    },
    readBack: async () => {
      const { state } = loadSnapshot(draft);
      return { revision: state.revision, items: itemsBelow(state, prefix, now()), imported: true, notes: [] };
    },
    finish: async (): Promise<FinishedTarget> => {
      if (existsSync(target)) throw new ConfigError(`${path} exists already: name another file`);
      renameSync(draft, target);
      syncFolder(dirname(target));
      const notes = ['Objects keep their resourceVersions.'];
      if (expiring > 0) notes.push(`Objects that expire: ${expiring}. Their leases begin when etcd restores the file.`);
      return { revision, notes };
    },
    close: async () => rmSync(draft, { force: true }),
  };
}

/** The records of the file. Keys that one transaction wrote share a revision and are numbered within it. */
function encode(
  { items }: MovedState,
  prefix: string,
  now: number,
): { readonly revisions: readonly WrittenRevision[]; readonly leases: readonly WrittenLease[] } {
  const leases = new Map<number, WrittenLease>();
  const leaseOf = (expires: number): number => {
    const ttlSeconds = leaseSeconds(expires, now);
    const known = leases.get(ttlSeconds) ?? { id: leases.size + 1, ttlSeconds };
    leases.set(ttlSeconds, known);
    return known.id;
  };
  const sorted = byRevision(items);
  let sub = 0;
  const revisions = sorted.map(({ path, value, revision, created, expires }, i): WrittenRevision => {
    sub = sorted[i - 1]?.revision === revision ? sub + 1 : 0;
    const record = { key: `${prefix}/${path}`, value, revision, created, sub };
    return expires === 0 ? record : { ...record, lease: leaseOf(expires) };
  });
  return { revisions, leases: [...leases.values()] };
}
