/**
 * Reads the state of an etcd snapshot file directly from its bbolt pages, one page at a time. Only the newest value of
 * each key stays in memory.
 */
import { createHash } from 'node:crypto';
import { copyBytes, equalBytes } from '../../base/bytes.ts';
import { comparePaths } from '../keys.ts';
import { type Bucket, Buckets } from './bucket.ts';
import { damaged } from './damaged.ts';
import { type Leases, readLeases } from './leases.ts';
import { readMeta } from './meta-page.ts';
import type { RandomAccess } from './random-access.ts';
import { parseRecord, parseRevisionKey, type RevisionRecord } from './revision-record.ts';

/** The newest state of a key, with its value. */
export interface SnapshotItem extends SnapshotKey {
  readonly value: Uint8Array;
}

/** The newest state of a key, with the place of its value. */
export interface IndexedItem extends SnapshotKey {
  /** The place of the key's record in the file. */
  readonly offset: number;
  readonly length: number;
}

interface SnapshotKey {
  readonly key: string;
  /** The revision that wrote the value. */
  readonly revision: number;
  /** The revision that created the key. */
  readonly created: number;
  /** The time to live that etcd gives the key when it starts with this file; absent without a lease. */
  readonly ttlSeconds?: number;
}

export interface SnapshotState<Item extends SnapshotKey = SnapshotItem> {
  /** The revision of the store when the snapshot was taken. */
  readonly revision: number;
  /** The keys that exist at that revision, in the order of their UTF-8 bytes. */
  readonly items: readonly Item[];
  /** How many revisions of keys the file contains, deletions included. */
  readonly records: number;
  /** How many keys are not valid UTF-8. They are left out. */
  readonly unreadableKeys: number;
}

const HASH_BYTES = 32;
/**
 * The size of a bbolt file is a multiple of this number, so an appended hash changes the remainder. etcd detects the
 * hash in the same way.
 */
const SECTOR = 512;
const CHUNK = 1 << 20;

/** Whether the file ends with the SHA-256 of its contents. Snapshots do; the database file of a member does not. */
export function hasHash({ size }: RandomAccess): boolean {
  return size % SECTOR === HASH_BYTES;
}

/** Reads the whole file. Throws StorageError(Corrupt) if its contents do not match the hash at its end. */
export function verifyHash(file: RandomAccess): void {
  const hash = createHash('sha256');
  const size = file.size - HASH_BYTES;
  for (let at = 0; at < size; at += CHUNK) hash.update(file.read(at, Math.min(CHUNK, size - at)));
  if (!equalBytes(hash.digest(), file.read(size, HASH_BYTES)))
    throw damaged(file, size, 'the SHA-256 at its end is not that of its contents');
}

/** Reads the newest state. Throws StorageError(Corrupt) with the offset of the damage. Does not verify the hash. */
export function readSnapshot(file: RandomAccess): SnapshotState {
  return scan(file, (item, record) => ({ ...item, value: copyBytes(record.value) }));
}

/** Reads the newest state without its values. Throws like `readSnapshot`. */
export function indexSnapshot(file: RandomAccess): SnapshotState<IndexedItem> {
  return scan(file, (item, _, { offset, length }) => ({ ...item, offset, length }));
}

/** Reads the value of a key. */
export function readIndexed(file: RandomAccess, { offset, length }: IndexedItem): Uint8Array {
  return recordAt(file, file.read(offset, length), offset).value;
}

interface Place {
  readonly offset: number;
  readonly length: number;
}

function scan<Item extends SnapshotKey>(
  file: RandomAccess,
  make: (item: SnapshotKey, record: RevisionRecord, place: Place) => Item,
): SnapshotState<Item> {
  const buckets = new Buckets(file, readMeta(file));
  const names = buckets.names();
  const keys = names.get('key');
  if (keys === undefined) throw damaged(file, 0, 'it has no bucket "key": it is not a file of etcd');
  const newest = new Map<string, Item>();
  const leases = readLeases(file, buckets, names.get('lease'));
  let revision = compactedRevision(buckets, names.get('meta'));
  let records = 0;
  let unreadableKeys = 0;
  buckets.forEach(keys, (key, value, offset) => {
    const at = parseRevisionKey(key);
    if (at === undefined) throw damaged(file, offset, 'a key of the bucket "key" is not a revision');
    const record = recordAt(file, value, offset);
    records++;
    revision = Math.max(revision, at.revision);
    if (record.key === undefined) unreadableKeys++;
    else if (at.isDeletion) newest.delete(record.key);
    else
      newest.set(
        record.key,
        make(itemOf(record, record.key, at.revision, leases), record, { offset, length: value.byteLength }),
      );
  });
  const items = [...newest.values()].sort((a, b) => comparePaths(a.key, b.key));
  return { revision, items, records, unreadableKeys };
}

function itemOf(record: RevisionRecord, key: string, revision: number, leases: Leases): SnapshotKey {
  const ttlSeconds = record.lease === 0 ? undefined : leases.get(String(record.lease));
  const item = { key, revision, created: record.created };
  return ttlSeconds === undefined ? item : { ...item, ttlSeconds };
}

function recordAt(file: RandomAccess, bytes: Uint8Array, offset: number): RevisionRecord {
  const record = parseRecord(bytes);
  if (typeof record === 'string') throw damaged(file, offset, `a record is malformed: ${record}`);
  return record;
}

/**
 * The revision of the last compaction; 0 if there was none. The revision of the store is at least this one, even if the
 * last change was a deletion that the compaction has removed.
 */
function compactedRevision(buckets: Buckets, meta: Bucket | undefined): number {
  let revision = 0;
  if (meta === undefined) return revision;
  buckets.forEach(meta, (key, value) => {
    const name = Buffer.from(key).toString('latin1');
    if (name === 'finishedCompactRev' || name === 'scheduledCompactRev')
      revision = Math.max(revision, parseRevisionKey(value)?.revision ?? 0);
  });
  return revision;
}
