/**
 * The bucket `lease` of etcd: messages `leasepb.Lease` by id. A member that starts with the file grants each lease
 * again: for the time that remained at the last checkpoint of the lease, or without a checkpoint for its whole time to
 * live.
 */
import { VARINT, WireWriter } from '../../apimachinery/protobuf/wire.ts';
import { readFields } from '../wire/field-reader.ts';
import { writeNumber } from '../wire/field-writer.ts';
import type { Bucket, Buckets } from './bucket.ts';
import { damaged } from './damaged.ts';
import type { RandomAccess } from './random-access.ts';

/** Times to live in seconds, by the decimal id of the lease. */
export type Leases = ReadonlyMap<string, number>;

export interface WrittenLease {
  readonly id: number;
  readonly ttlSeconds: number;
}

const MAX_LEASE = 64;

/** Reads all leases. Throws StorageError(Corrupt) for a malformed lease. */
export function readLeases(file: RandomAccess, buckets: Buckets, bucket: Bucket | undefined): Leases {
  const leases = new Map<string, number>();
  if (bucket === undefined) return leases;
  buckets.forEach(bucket, (_, value, offset) => {
    const numbers: (number | bigint)[] = [0, 0, 0, 0];
    const error = readFields(value, (reader, field, end) => {
      if (field > 3 || reader.wireType !== VARINT) return false;
      if (reader.readVarint(end)) numbers[field] = reader.toInt64();
      return true;
    });
    if (error !== undefined) throw damaged(file, offset, `a lease is malformed: ${error.message}`);
    const [, id = 0, ttl = 0, remaining = 0] = numbers;
    leases.set(String(id), Number(remaining > 0 ? remaining : ttl));
  });
  return leases;
}

/** Returns the key and the value of a lease in its bucket. */
export function encodeLease({ id, ttlSeconds }: WrittenLease): readonly [key: Uint8Array, value: Uint8Array] {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setBigUint64(0, BigInt(id));
  const writer = new WireWriter(MAX_LEASE);
  writeNumber(writer, 2, ttlSeconds);
  writeNumber(writer, 1, id);
  return [key, writer.finish()];
}
