/** A writer of etcd snapshot files: bbolt pages with etcd's buckets, followed by their SHA-256. */
import { createHash } from 'node:crypto';
import { WireWriter } from '../../apimachinery/protobuf/wire.ts';
import { concatBytes, EMPTY_BYTES, encodeUtf8 } from '../../base/bytes.ts';
import { writeBytes, writeNumber, writeText } from '../wire/field-writer.ts';
import { BboltWriter, type BucketWriter, type Pair } from './bbolt-writer.ts';
import { encodeLease, type WrittenLease } from './leases.ts';

const MAX_RECORD = 1 << 26;

/** One revision of a key. Without a value: a deletion. */
export interface WrittenRevision {
  readonly revision: number;
  /** The number within the revision. Default 0. */
  readonly sub?: number;
  readonly key: string;
  readonly value?: Uint8Array;
  readonly created: number;
  /** The id of one of `leases`. Default: the key does not expire. */
  readonly lease?: number;
}

export interface WriteSnapshotOptions {
  /** The number of records in one leaf. Default: as many as fit on a page. */
  readonly perLeaf?: number;
  /** Whether the file ends with its SHA-256. Default true. */
  readonly hash?: boolean;
  /** The revision of the last compaction. Default: there was none. */
  readonly compacted?: number;
  /** In ascending order of their ids. Default none. */
  readonly leases?: readonly WrittenLease[];
}

/** Returns the bytes of a snapshot with these revisions, which must be in ascending order. */
export function writeSnapshot(revisions: Iterable<WrittenRevision>, options: WriteSnapshotOptions = {}): Uint8Array {
  const pages: Uint8Array[] = [];
  const head = writePages(revisions, options, (page) => void pages.push(page));
  const file = concatBytes([head, ...pages]);
  return options.hash === false ? file : concatBytes([file, createHash('sha256').update(file).digest()]);
}

/**
 * Passes the pages from the third on to `append`, in order. Returns the first two pages, which are known only at the
 * end. Together the pages are a complete file without a hash.
 */
export function writePages(
  revisions: Iterable<WrittenRevision>,
  options: WriteSnapshotOptions,
  append: (page: Uint8Array) => void,
): Uint8Array {
  const writer = new SnapshotWriter(append, options.perLeaf);
  for (const each of revisions) writer.add(each);
  return writer.end(options);
}

/** The pages of a snapshot whose revisions are added one after the other, in ascending order. */
export class SnapshotWriter {
  readonly #writer: BboltWriter;
  readonly #keys: BucketWriter;

  /** `append` gets the pages from the third on, in order. */
  constructor(append: (page: Uint8Array) => void, perLeaf?: number) {
    this.#writer = new BboltWriter(append, perLeaf);
    this.#keys = this.#writer.openBucket();
  }

  add(each: WrittenRevision): void {
    this.#keys.add([revisionKey(each), keyValue(each)]);
  }

  /** Returns the first two pages. */
  end({ compacted, leases = [] }: Pick<WriteSnapshotOptions, 'compacted' | 'leases'>): Uint8Array {
    const writer = this.#writer;
    const keys = this.#keys.end();
    const lease = leases.length === 0 ? writer.inlineBucket([]) : writer.bucket(leases.map(encodeLease));
    const meta: Pair[] = [[encodeUtf8('consistent_index'), new Uint8Array(8)]];
    if (compacted !== undefined)
      meta.push([
        encodeUtf8('finishedCompactRev'),
        revisionKey({ revision: compacted, created: compacted, key: '', value: EMPTY_BYTES }),
      ]);
    const contents: Readonly<Record<string, Uint8Array>> = { key: keys, lease, meta: writer.inlineBucket(meta) };
    return writer.finish(BUCKETS.map((name) => [encodeUtf8(name), contents[name] ?? writer.inlineBucket([])]));
  }
}

/** The buckets of etcd 3.5 and 3.6, in the order of their names. A member expects all of them. */
const BUCKETS: readonly string[] = [
  'alarm',
  'auth',
  'authRoles',
  'authUsers',
  'cluster',
  'key',
  'lease',
  'members',
  'members_removed',
  'meta',
];

function revisionKey({ revision, sub = 0, value }: WrittenRevision): Uint8Array {
  const bytes = new Uint8Array(value === undefined ? 18 : 17);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(revision));
  bytes[8] = 0x5f;
  view.setBigUint64(9, BigInt(sub));
  if (value === undefined) bytes[17] = 0x74;
  return bytes;
}

/** The message mvccpb.KeyValue. */
function keyValue({ revision, key, value, created, lease }: WrittenRevision): Uint8Array {
  const writer = new WireWriter(MAX_RECORD);
  if (value !== undefined) {
    if (lease !== undefined) writeNumber(writer, 6, lease);
    writeBytes(writer, 5, value);
    writeNumber(writer, 4, 1);
    writeNumber(writer, 3, revision);
    writeNumber(writer, 2, created);
  }
  writeText(writer, 1, key);
  return writer.finish();
}
