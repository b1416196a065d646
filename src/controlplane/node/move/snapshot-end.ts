/** Snapshot files of etcd as the source and the target of a move. */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { count } from '../../../base/count.ts';
import { ConfigError, toError } from '../../../base/errors.ts';
import { syncFolder } from '../../../storage/lmdb/folder.ts';
import type { WrittenLease } from '../../../storage/snapshot-file/leases.ts';
import { type OpenSnapshot, openSnapshot } from '../../../storage/snapshot-file/load-snapshot.ts';
import type { IndexedItem } from '../../../storage/snapshot-file/read-snapshot.ts';
import { SnapshotFile } from '../../../storage/snapshot-file/write-file.ts';
import type { WrittenRevision } from '../../../storage/snapshot-file/write-snapshot.ts';
import {
  type FinishedTarget,
  inBatches,
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
      const snapshot = openSnapshot(path);
      const { state, warnings } = snapshot;
      const moved = stateOf(snapshot, prefix, now());
      if (moved.keys.length === 0) {
        await moved.close();
        throw new ConfigError(noKeys(path, prefix, state.items[0]?.key));
      }
      const others = state.items.length - moved.keys.length + state.unreadableKeys;
      const notes = others === 0 ? [] : [`Left out: ${count(others, 'key')} not below the prefix ${prefix}.`];
      return { ...moved, notes: [...warnings, ...notes] };
    },
  };
}

function stateOf({ state, value, close }: OpenSnapshot, prefix: string, now: number): MovedState {
  const start = `${prefix}/`;
  const byPath = new Map<string, IndexedItem>();
  for (const item of state.items) if (item.key.startsWith(start)) byPath.set(item.key.slice(start.length), item);
  return {
    revision: state.revision,
    keys: Array.from(byPath, ([path, { revision, created, ttlSeconds }]) => ({
      path,
      revision,
      created,
      expires: ttlSeconds === undefined ? 0 : now + ttlSeconds * 1000,
    })),
    imported: true,
    notes: [],
    items: (wanted) => inBatches(wanted, ({ path }) => value(byPath.get(path) as IndexedItem)),
    close: async () => close(),
  };
}

/** A new snapshot file. It gets its name once it is complete and verified. */
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
    write: async (items, report) => {
      ({ revision } = items);
      const encoder = new RevisionEncoder(prefix, now());
      const written = writable(path, () => new SnapshotFile(draft));
      try {
        let done = 0;
        for await (const batch of items.batches) {
          writable(path, () => {
            for (const item of batch) written.add(encoder.encode(item));
          });
          done += batch.length;
          report('write', done, items.total);
        }
        writable(path, () => written.end({ compacted: revision, leases: encoder.leases }));
      } finally {
        written.close();
      }
      ({ expiring } = encoder);
    },
    readBack: async () => stateOf(openSnapshot(draft), prefix, now()),
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

/** Runs a write. Throws ConfigError if the file cannot be written. */
function writable<R>(path: string, write: () => R): R {
  try {
    return write();
  } catch (caught) {
    throw new ConfigError(`cannot write ${path}: ${toError(caught).message}`, { cause: caught });
  }
}

/** Makes the records of the file. Keys of one transaction share a revision and are numbered within it. */
class RevisionEncoder {
  readonly #prefix: string;
  readonly #now: number;
  readonly #leases = new Map<number, WrittenLease>();
  readonly #last = { revision: 0, sub: 0 };
  /** The number of keys with a lease. */
  expiring = 0;

  constructor(prefix: string, now: number) {
    this.#prefix = prefix;
    this.#now = now;
  }

  /** The granted leases, in ascending order of their ids. */
  get leases(): readonly WrittenLease[] {
    return [...this.#leases.values()];
  }

  encode({ path, value, revision, created, expires }: MovedItem): WrittenRevision {
    const last = this.#last;
    last.sub = last.revision === revision ? last.sub + 1 : 0;
    last.revision = revision;
    const record = { key: `${this.#prefix}/${path}`, value, revision, created, sub: last.sub };
    return expires === 0 ? record : { ...record, lease: this.#leaseOf(expires) };
  }

  #leaseOf(expires: number): number {
    this.expiring++;
    const ttlSeconds = leaseSeconds(expires, this.#now);
    const known = this.#leases.get(ttlSeconds) ?? { id: this.#leases.size + 1, ttlSeconds };
    this.#leases.set(ttlSeconds, known);
    return known.id;
  }
}
