/**
 * The records of etcd's bucket `key`: revisions of keys. A key of the bucket has 17 bytes (revision, `_`, number within
 * the revision), and 18 with a final `t` for a deletion. A value is a message `mvccpb.KeyValue`.
 */
import { BYTES, VARINT, WireReader } from '../../apimachinery/protobuf/wire.ts';
import { decodeUtf8Strict } from '../../base/bytes.ts';

export interface RevisionKey {
  readonly revision: number;
  readonly isDeletion: boolean;
}

export interface RevisionRecord {
  /** Undefined if the key is not valid UTF-8. */
  readonly key: string | undefined;
  readonly created: number;
  readonly modified: number;
  /** The id of the key's lease; 0 without one. */
  readonly lease: number | bigint;
  /** A view of the record's bytes. */
  readonly value: Uint8Array;
}

const LENGTH = 17;
const UNDERSCORE = 0x5f;
const TOMBSTONE = 0x74;

/** Parses a key of the bucket. Returns undefined for bytes that are not a revision. */
export function parseRevisionKey(bytes: Uint8Array): RevisionKey | undefined {
  const isDeletion = bytes.byteLength === LENGTH + 1;
  if ((!isDeletion && bytes.byteLength !== LENGTH) || bytes[8] !== UNDERSCORE) return undefined;
  if (isDeletion && bytes[LENGTH] !== TOMBSTONE) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const revision = Number(view.getBigUint64(0, false));
  return Number.isSafeInteger(revision) ? { revision, isDeletion } : undefined;
}

/** Parses a value of the bucket. For a malformed record, returns the problem as a string. */
export function parseRecord(bytes: Uint8Array): RevisionRecord | string {
  const reader = new WireReader(bytes);
  const end = bytes.byteLength;
  let key = bytes.subarray(0, 0);
  let value = key;
  let created = 0;
  let modified = 0;
  let lease: number | bigint = 0;
  while (reader.pos < end && reader.readTag(end)) {
    const { fieldNumber, wireType } = reader;
    if ((fieldNumber === 1 || fieldNumber === 5) && wireType === BYTES) {
      const to = reader.readLength(end);
      if (to < 0) break;
      if (fieldNumber === 1) key = reader.takeBytes(to);
      else value = reader.takeBytes(to);
    } else if ((fieldNumber === 2 || fieldNumber === 3) && wireType === VARINT) {
      if (!reader.readVarint(end)) break;
      const number = Number(reader.toInt64());
      if (!Number.isSafeInteger(number) || number < 0) return `${number} is not a revision`;
      if (fieldNumber === 2) created = number;
      else modified = number;
    } else if (fieldNumber === 6 && wireType === VARINT) {
      if (!reader.readVarint(end)) break;
      lease = reader.toInt64();
    } else reader.skip(end);
  }
  if (reader.error !== undefined) return reader.error.message;
  return { key: decodeUtf8Strict(key), created, modified, value, lease };
}
