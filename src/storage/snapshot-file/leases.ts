/**
 * The bucket `lease` of etcd: messages `leasepb.Lease` by id. A member that starts with the file grants each lease anew,
 * for the time that remained at its last checkpoint, and otherwise for its whole time to live.
 */
import { VARINT, WireReader, WireWriter } from '../../apimachinery/protobuf/wire.ts';
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

/** Throws StorageError(Corrupt) for a malformed lease. */
export function readLeases(file: RandomAccess, buckets: Buckets, bucket: Bucket | undefined): Leases {
  const leases = new Map<string, number>();
  if (bucket === undefined) return leases;
  buckets.forEach(bucket, (_, value, offset) => {
    const reader = new WireReader(value);
    const end = value.byteLength;
    const numbers: (number | bigint)[] = [0, 0, 0, 0];
    while (reader.pos < end && reader.readTag(end)) {
      const { fieldNumber, wireType } = reader;
      if (fieldNumber > 3 || wireType !== VARINT) {
        if (!reader.skip(end)) break;
      } else if (reader.readVarint(end)) numbers[fieldNumber] = reader.toInt64();
    }
    if (reader.error !== undefined) throw damaged(file, offset, `a lease is malformed: ${reader.error.message}`);
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
  writer.writeVarint(ttlSeconds);
  writer.writeTag(2, VARINT);
  writer.writeVarint(id);
  writer.writeTag(1, VARINT);
  return [key, writer.finish()];
}
